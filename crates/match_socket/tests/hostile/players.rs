//! Two players on one machine, with a net between them that the tests own.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use std::{io, thread};

use ggrs::{
    Config, DesyncDetection, GgrsRequest, P2PSession, PlayerType, PredictRepeatLast,
    SessionBuilder, SessionState,
};
use match_socket::{MatchError, MatchSecret, MatchSocket, MatchWatch};

/// Frames between two checksums.
pub const INTERVAL: u32 = 20;
/// Intervals without a checksum that a match lasts.
pub const MISSING: u32 = 5;

#[derive(Debug)]
pub struct Netcode;

impl Config for Netcode {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = SocketAddr;
}

pub fn local_socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_nonblocking(true).expect("a socket");
    socket
}

pub fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("an address")
}

/// A port that was free a moment ago.
pub fn free_address() -> SocketAddr {
    address(&local_socket())
}

/// What has arrived.
pub fn arrived(socket: &UdpSocket) -> Vec<Vec<u8>> {
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
pub fn builder(side: usize, peer: SocketAddr) -> SessionBuilder<Netcode> {
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
pub type Checksum = fn(i32) -> Option<u128>;

pub fn honest(frame: i32) -> Option<u128> {
    Some(frame as u128)
}

pub struct Player {
    side: usize,
    pub session: P2PSession<Netcode>,
    watch: MatchWatch,
    checksum: Checksum,
}

impl Player {
    pub fn new(
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
    pub fn frame(&mut self) -> Result<(), MatchError> {
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
pub struct Table {
    pub players: [Player; 2],
    /// Where the players are.
    pub homes: [SocketAddr; 2],
    /// What each player takes for the other one.
    pub masks: [UdpSocket; 2],
    /// The last packets that came by, with the player they are for.
    pub passed: Vec<(usize, Vec<u8>)>,
}

impl Table {
    pub fn new(secret: &MatchSecret, checksums: [Checksum; 2]) -> Self {
        let masks = [local_socket(), local_socket()];
        let homes = [free_address(), free_address()];
        let players = [0, 1].map(|side| {
            Player::new(side, homes[side], address(&masks[side]), secret, checksums[side])
        });
        Self { players, homes, masks, passed: Vec::new() }
    }

    /// Sends a packet to a player, as if the other one had sent it.
    pub fn send(&self, side: usize, packet: &[u8]) {
        // A packet that finds no room is a packet that is lost.
        let _ = self.masks[side].send_to(packet, self.homes[side]);
    }

    /// Carries packets, and lets both play a frame.
    pub fn tick(&mut self) -> Result<(), MatchError> {
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
    pub fn play(&mut self, frames: i32) -> Result<(), MatchError> {
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
