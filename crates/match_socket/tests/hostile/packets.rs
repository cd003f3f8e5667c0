//! Packets of ggrs 0.13 that do harm, as ggrs's own socket reads them.

use serde::{Deserialize, Serialize};

/// The magic number that hostile packets claim.
pub const MAGIC: u16 = 77;

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Status {
    pub disconnected: bool,
    pub last_frame: i32,
}

/// The kinds of messages, in ggrs's order. A test fails when ggrs changes it: no checksum would be seen.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub enum Body {
    SyncRequest { random_request: u32 },
    SyncReply { random_reply: u32 },
    Input(Input),
    InputAck { ack_frame: i32 },
    QualityReport { frame_advantage: i16, ping: u128 },
    QualityReply { pong: u128 },
    ChecksumReport { checksum: u128, frame: i32 },
    KeepAlive,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Input {
    pub peer_connect_status: Vec<Status>,
    pub disconnect_requested: bool,
    pub start_frame: i32,
    pub ack_frame: i32,
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Packet {
    pub magic: u16,
    pub body: Body,
}

impl Packet {
    pub fn of(body: Body) -> Self {
        Self { magic: MAGIC, body }
    }

    pub fn bytes(&self) -> Vec<u8> {
        bincode::serialize(self).expect("a packet")
    }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A run of zeros, as ggrs packs inputs.
pub fn zeros(count: u64) -> Vec<u8> {
    varint(count << 2 | 1)
}

/// Bytes as they are, as ggrs packs inputs.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    [&varint((bytes.len() as u64) << 1), bytes].concat()
}

/// Inputs from a frame on, of a peer that knows both players.
pub fn input(start_frame: i32, bytes: Vec<u8>) -> Input {
    let known = Status { disconnected: false, last_frame: -1 };
    Input {
        peer_connect_status: vec![known; 2],
        disconnect_requested: false,
        start_frame,
        ack_frame: -1,
        bytes,
    }
}

/// The input of a frame: its length and a byte.
pub fn one_input(start_frame: i32) -> Input {
    input(start_frame, unpacked(&[1, 0, 0]))
}

/// A request to end the match, from somebody who guesses the magic number.
pub fn disconnect(magic: u16) -> Vec<u8> {
    let request = Input {
        peer_connect_status: Vec::new(),
        disconnect_requested: true,
        ..input(0, Vec::new())
    };
    Packet { magic, body: Body::Input(request) }.bytes()
}

/// Packets that end a bare session, disturb it or fill its memory.
pub fn hostile() -> Vec<Vec<u8>> {
    let many_inputs: Vec<u8> = [1, 0, 0].repeat(300);
    let many_runs: Vec<u8> = (0..400).flat_map(|_| zeros(1 << 24)).collect();
    let mut inputs = vec![
        input(0, zeros(1 << 60)),
        input(0, zeros(1 << 32)),
        input(0, many_runs),
        input(0, unpacked(&many_inputs)),
    ];
    inputs.extend([200, 100_000, i32::MAX].map(one_input));
    let mut last = one_input(0);
    last.ack_frame = i32::MAX;
    last.peer_connect_status.iter_mut().for_each(|status| status.last_frame = i32::MAX);
    inputs.push(last);
    for player in 0..2 {
        let mut gone = one_input(0);
        gone.peer_connect_status[player] = Status { disconnected: true, last_frame: i32::MIN };
        inputs.push(gone);
    }
    let bodies = inputs.into_iter().map(Body::Input);
    let reports =
        (0..40).map(|n| Body::ChecksumReport { checksum: 1, frame: i32::MIN.wrapping_add(n) });
    bodies.chain(reports).map(|body| Packet::of(body).bytes()).collect()
}
