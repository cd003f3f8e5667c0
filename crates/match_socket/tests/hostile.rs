//! Matches between strangers' packets, and matches whose machines differ. Two players are on one machine, with a net
//! between them that the tests own.

use std::net::{SocketAddr, UdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use std::{io, thread};

use ggrs::{
    Config, DesyncDetection, GgrsRequest, P2PSession, PlayerType, PredictRepeatLast,
    SessionBuilder, SessionState, UdpNonBlockingSocket,
};
use match_socket::{MatchError, MatchSecret, MatchSocket, MatchWatch, SecretError, SocketError};
use serde::{Deserialize, Serialize};

/// Frames that show that a match goes on: enough for missing checksums to be noticed.
const ON: i32 = (INTERVAL * (MISSING + 2)) as i32;

fn secret() -> MatchSecret {
    MatchSecret::new([7; 32])
}

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % below
    }
}

#[test]
fn the_packets_here_do_harm_to_a_session_without_a_secret() {
    let mask = local_socket();
    let home = free_address();
    let socket = UdpNonBlockingSocket::bind_to_port(home.port()).expect("a port");
    let mut session = builder(0, address(&mask)).start_p2p_session(socket).expect("a session");
    let packet = Packet::of(Body::Input(one_input(200))).bytes();
    mask.send_to(&packet, home).expect("sent");
    let polled = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..100 {
            session.poll_remote_clients();
            thread::sleep(Duration::from_millis(5));
        }
    }));
    assert!(polled.is_err(), "ggrs refuses the packet: release/ggrs.md is out of date");
}

#[test]
fn hostile_packets_do_nothing_before_a_match_and_in_it() {
    let mut table = Table::new(&secret(), [honest; 2]);
    let send_all = |table: &Table| {
        for packet in hostile() {
            table.send(0, &packet);
            table.send(1, &packet);
        }
    };
    // Nobody has met yet.
    for _ in 0..5 {
        send_all(&table);
        table.players.iter_mut().for_each(|player| player.frame().expect("waiting"));
        assert_eq!(table.players[0].session.current_state(), SessionState::Synchronizing);
    }
    for _ in 0..20 {
        send_all(&table);
        table.play(ON / 10).expect("the match goes on");
    }
}

#[test]
fn no_magic_number_ends_a_match() {
    let mut table = Table::new(&secret(), [honest; 2]);
    table.play(10).expect("they meet");
    for magic in 0..=u16::MAX {
        table.send(0, &disconnect(magic));
        if magic % 64 == 0 {
            table.players[0].session.poll_remote_clients();
        }
        if magic % 1024 == 0 {
            table.tick().expect("the match goes on");
        }
    }
    table.play(ON).expect("the match goes on");
}

#[test]
fn random_packets_and_changed_ones_do_nothing() {
    let mut table = Table::new(&secret(), [honest; 2]);
    table.play(10).expect("they meet");
    let mut noise = Noise(1);
    for _ in 0..400 {
        for _ in 0..50 {
            let length = noise.next(600);
            let packet: Vec<u8> = (0..length).map(|_| noise.next(256) as u8).collect();
            table.send(noise.next(2), &packet);
            let (side, mut changed) = table.passed[noise.next(table.passed.len())].clone();
            match noise.next(4) {
                0 => changed.truncate(noise.next(changed.len())),
                1 => changed.push(noise.next(256) as u8),
                _ => {
                    let at = noise.next(changed.len());
                    changed[at] ^= 1 << noise.next(8);
                }
            }
            table.send(side, &changed);
        }
        table.tick().expect("the match goes on");
    }
    table.play(ON).expect("the match goes on");
}

#[test]
fn packets_that_come_again_or_come_back_do_nothing() {
    let mut table = Table::new(&secret(), [honest; 2]);
    let mut before = Table::new(&secret(), [honest; 2]);
    let mut other = Table::new(&MatchSecret::new([8; 32]), [honest; 2]);
    before.play(100).expect("an earlier match");
    other.play(100).expect("another match");
    let old = [before.passed, other.passed].concat();
    for _ in 0..30 {
        for (side, packet) in old.iter().chain(&table.passed.clone()) {
            table.send(*side, packet);
        }
        table.tick().expect("the match goes on");
    }
    for _ in 0..10 {
        for (side, packet) in table.passed.clone() {
            table.send(side, &packet);
            table.send(1 - side, &packet);
        }
        table.play(ON / 10).expect("the match goes on");
    }
}

#[test]
fn a_flood_is_dropped() {
    let mut table = Table::new(&secret(), [honest; 2]);
    table.play(10).expect("they meet");
    let stranger = local_socket();
    let large = Packet::of(Body::Input(input(0, vec![0; 3900]))).bytes();
    for _ in 0..50 {
        for _ in 0..500 {
            let _ = stranger.send_to(&large, table.homes[0]);
            table.send(1, &large);
        }
        table.tick().expect("the match goes on");
    }
    table.play(ON).expect("the match goes on");
}

#[test]
fn players_with_different_secrets_never_meet() {
    let mut table = Table::new(&secret(), [honest; 2]);
    let peer = address(&table.masks[1]);
    table.homes[1] = free_address();
    let other = MatchSecret::new([8; 32]);
    table.players[1] = Player::new(1, table.homes[1], peer, &other, honest);
    for _ in 0..1000 {
        table.tick().expect("both wait");
    }
    for player in &table.players {
        assert_eq!(player.session.current_state(), SessionState::Synchronizing);
    }
}

#[test]
fn machines_that_differ_end_the_match_with_the_frame() {
    let differs_from_60 = |frame: i32| Some((frame + i32::from(frame >= 60)) as u128);
    let mut table = Table::new(&secret(), [honest, differs_from_60]);
    assert_eq!(table.play(ON), Err(MatchError::Desync { frame: 60 }));
    assert_eq!(
        MatchError::Desync { frame: 60 }.to_string(),
        "desync: the two machines differ in frame 60"
    );
}

#[test]
fn a_peer_without_checksums_ends_the_match() {
    let until_40 = |frame: i32| (frame <= 40).then_some(frame as u128);
    let mut table = Table::new(&secret(), [honest, until_40]);
    let end = table.play(10 * ON);
    let last = 40 + (INTERVAL * MISSING) as i32;
    let Err(MatchError::NoChecksum { reported, confirmed }) = end else { panic!("{end:?}") };
    assert_eq!(reported, 40);
    assert!((last + 1..last + 20).contains(&confirmed), "{confirmed}");
    let never = |_: i32| None;
    let mut table = Table::new(&secret(), [honest, never]);
    let end = table.play(10 * ON);
    assert!(matches!(end, Err(MatchError::NoChecksum { reported: 0, .. })), "{end:?}");
}

#[test]
fn a_peer_that_leaves_ends_the_match() {
    let mut table = Table::new(&secret(), [honest; 2]);
    table.play(10).expect("they meet");
    let peer = address(&table.masks[0]);
    let player = &mut table.players[0];
    let end = loop {
        thread::sleep(Duration::from_millis(5));
        if let Err(end) = player.frame() {
            break end;
        }
    };
    assert_eq!(end, MatchError::Left { peer });
}

#[test]
fn a_short_secret_and_a_port_in_use_are_refused() {
    assert_eq!(MatchSecret::from_text("splash"), Err(SecretError::TooShort { length: 6 }));
    let text = "five green boats at noon";
    let secret = MatchSecret::from_text(text).expect("long enough");
    assert_eq!(MatchSecret::from_text(text), Ok(secret));
    assert!(!format!("{secret:?}").contains('['));
    let taken = UdpSocket::bind("0.0.0.0:0").expect("a port");
    let port = address(&taken).port();
    let end = MatchSocket::bind(port, free_address(), &secret).map(|_| ());
    assert!(matches!(end, Err(SocketError::Bind { .. })), "{end:?}");
}

// Packets of ggrs 0.13 that do harm, as ggrs's own socket reads them.

/// The magic number that hostile packets claim.
const MAGIC: u16 = 77;

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Status {
    disconnected: bool,
    last_frame: i32,
}

/// The kinds of messages, in ggrs's order. A test fails when ggrs changes it: no checksum would be seen.
#[derive(Serialize, Deserialize, Clone, Debug)]
enum Body {
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
struct Input {
    peer_connect_status: Vec<Status>,
    disconnect_requested: bool,
    start_frame: i32,
    ack_frame: i32,
    bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Packet {
    magic: u16,
    body: Body,
}

impl Packet {
    fn of(body: Body) -> Self {
        Self { magic: MAGIC, body }
    }

    fn bytes(&self) -> Vec<u8> {
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
fn zeros(count: u64) -> Vec<u8> {
    varint(count << 2 | 1)
}

/// Bytes as they are, as ggrs packs inputs.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    [&varint((bytes.len() as u64) << 1), bytes].concat()
}

/// Inputs from a frame on, of a peer that knows both players.
fn input(start_frame: i32, bytes: Vec<u8>) -> Input {
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
fn one_input(start_frame: i32) -> Input {
    input(start_frame, unpacked(&[1, 0, 0]))
}

/// A request to end the match, from somebody who guesses the magic number.
fn disconnect(magic: u16) -> Vec<u8> {
    let request = Input {
        peer_connect_status: Vec::new(),
        disconnect_requested: true,
        ..input(0, Vec::new())
    };
    Packet { magic, body: Body::Input(request) }.bytes()
}

/// Packets that end a bare session, disturb it or fill its memory.
fn hostile() -> Vec<Vec<u8>> {
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

// Two players.

/// Frames between two checksums.
const INTERVAL: u32 = 20;
/// Intervals without a checksum that a match lasts.
const MISSING: u32 = 5;

#[derive(Debug)]
struct Netcode;

impl Config for Netcode {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = SocketAddr;
}

fn local_socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_nonblocking(true).expect("a socket");
    socket
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("an address")
}

/// A port that was free a moment ago.
fn free_address() -> SocketAddr {
    address(&local_socket())
}

/// What has arrived.
fn arrived(socket: &UdpSocket) -> Vec<Vec<u8>> {
    let mut buffer = vec![0; 1 << 16];
    let mut packets = Vec::new();
    loop {
        match socket.recv(&mut buffer) {
            Ok(length) => packets.push(buffer[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return packets,
            // A player that has ended hears nothing more.
            Err(_) => {}
        }
    }
}

/// A session as that of the example `duel`.
fn builder(side: usize, peer: SocketAddr) -> SessionBuilder<Netcode> {
    let mut builder = SessionBuilder::<Netcode>::new()
        .with_num_players(2)
        .expect("two players")
        .with_input_delay(2)
        .with_max_prediction_window(12)
        .with_disconnect_notify_delay(Duration::from_millis(300))
        .with_disconnect_timeout(Duration::from_secs(2))
        .with_desync_detection_mode(DesyncDetection::On { interval: INTERVAL });
    for player in 0..2 {
        let kind = if player == side { PlayerType::Local } else { PlayerType::Remote(peer) };
        builder = builder.add_player(kind, player).expect("a player");
    }
    builder
}

/// The checksum of a frame, if the game has any.
type Checksum = fn(i32) -> Option<u128>;

fn honest(frame: i32) -> Option<u128> {
    Some(frame as u128)
}

struct Player {
    side: usize,
    session: P2PSession<Netcode>,
    watch: MatchWatch,
    checksum: Checksum,
}

impl Player {
    fn new(
        side: usize,
        at: SocketAddr,
        peer: SocketAddr,
        secret: &MatchSecret,
        checksum: Checksum,
    ) -> Self {
        let socket = MatchSocket::bind(at.port(), peer, secret).expect("a port");
        let watch = MatchWatch::new(&socket, INTERVAL, MISSING);
        let session = builder(side, peer).start_p2p_session(socket).expect("a session");
        Self { side, session, watch, checksum }
    }

    /// Plays a frame, if the other player is there.
    fn frame(&mut self) -> Result<(), MatchError> {
        self.session.poll_remote_clients();
        let confirmed = self.session.confirmed_frame();
        let events: Vec<_> = self.session.events().collect();
        self.watch.check(&events, confirmed)?;
        if self.session.current_state() == SessionState::Running {
            let held = self.session.current_frame() as u8 / 8;
            self.session.add_local_input(self.side, held).expect("a local player");
            for request in self.session.advance_frame().expect("all inputs are there") {
                if let GgrsRequest::SaveGameState { cell, frame } = request {
                    cell.save(frame, Some(()), (self.checksum)(frame));
                }
            }
        }
        Ok(())
    }
}

/// Two players who know two sockets of the net as each other's addresses.
struct Table {
    players: [Player; 2],
    /// Where the players are.
    homes: [SocketAddr; 2],
    /// What each player takes for the other one.
    masks: [UdpSocket; 2],
    /// The last packets that came by, with the player they are for.
    passed: Vec<(usize, Vec<u8>)>,
}

impl Table {
    fn new(secret: &MatchSecret, checksums: [Checksum; 2]) -> Self {
        let masks = [local_socket(), local_socket()];
        let homes = [free_address(), free_address()];
        let players = [0, 1].map(|side| {
            Player::new(side, homes[side], address(&masks[side]), secret, checksums[side])
        });
        Self { players, homes, masks, passed: Vec::new() }
    }

    /// Sends a packet to a player, as if the other one had sent it.
    fn send(&self, side: usize, packet: &[u8]) {
        // A packet that finds no room is a packet that is lost.
        let _ = self.masks[side].send_to(packet, self.homes[side]);
    }

    /// Carries packets, and lets both play a frame.
    fn tick(&mut self) -> Result<(), MatchError> {
        for side in 0..2 {
            for packet in arrived(&self.masks[side]) {
                self.send(1 - side, &packet);
                self.passed.push((1 - side, packet));
            }
        }
        self.passed.drain(..self.passed.len().saturating_sub(300));
        let [left, right] = self.players.each_mut().map(Player::frame);
        thread::sleep(Duration::from_millis(1));
        left.and(right)
    }

    /// Plays until both have confirmed so many more frames.
    fn play(&mut self, frames: i32) -> Result<(), MatchError> {
        let confirmed = |table: &Self| {
            let frames = table.players.iter().map(|player| player.session.confirmed_frame());
            frames.min().unwrap_or_default()
        };
        let last = confirmed(self).max(0) + frames;
        let deadline = Instant::now() + Duration::from_secs(120);
        while confirmed(self) < last {
            assert!(Instant::now() < deadline, "the match stands still at {}", confirmed(self));
            self.tick()?;
        }
        Ok(())
    }
}
