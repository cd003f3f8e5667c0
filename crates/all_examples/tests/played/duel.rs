//! Two processes of the example `duel` on one machine, with a net between them that is slow, loses packets and adds
//! hostile ones; and a process whose peer has another game.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use bevy_ggrs::ggrs::{
    Config, DesyncDetection, GgrsRequest, P2PSession, PlayerType, PredictRepeatLast,
    SessionBuilder, SessionState,
};
use match_socket::{MatchSecret, MatchSocket};

/// How long a packet takes.
const DELAY: Duration = Duration::from_millis(100);
/// One packet in so many is lost.
const LOST: u64 = 20;
/// The secret of the match.
const SECRET: &str = "a test has no secrets";
/// Inputs of a packed run of 2^60 zeros, with which a bare session of ggrs takes all memory.
const HOSTILE: &[u8] = &[
    77, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 255, 255, 255, 255, 0, 0,
    0, 0, 0, 255, 255, 255, 255, 9, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0x40,
];
/// Frames of a second.
const RATE: u64 = 60;

/// The example: the program of all examples by another name, in a folder of the test.
fn example(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder to write to");
    let program = folder.join(format!("duel{}", env::consts::EXE_SUFFIX));
    let _ = fs::remove_file(&program);
    fs::hard_link(env!("CARGO_BIN_EXE_all_examples"), &program).expect("a folder to write to");
    program
}

fn local_socket() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").expect("a port")
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("an address")
}

/// Carries what arrives at one socket to a player, as if it came from the other socket.
fn carry(from: &UdpSocket, by: &UdpSocket, to: SocketAddr) {
    let [from, by] = [from, by].map(|socket| socket.try_clone().expect("a socket"));
    let (send, receive) = channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        for number in 1_u64.. {
            let Ok(length) = from.recv(&mut buffer) else { return };
            // Scattered, but the same in each run.
            let is_lost =
                number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 0xffff < 0x1_0000 / LOST;
            if !is_lost && send.send((Instant::now() + DELAY, buffer[..length].to_vec())).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        for (due, packet) in receive {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            // A player that has ended hears nothing more.
            let _ = by.send_to(&packet, to);
            let _ = by.send_to(HOSTILE, to);
        }
    });
}

/// A process that is ended with the test.
struct Player(Child);

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a player, and gives what it prints.
fn player(example: &Path, side: &str, port: u16, peer: SocketAddr) -> (Player, Receiver<String>) {
    let words = [side, &port.to_string(), &peer.to_string(), SECRET].map(str::to_owned);
    let mut child = Command::new(example)
        .args(["--headless", "--seconds", "100000"])
        .args(words)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (send, receive) = channel();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    (Player(child), receive)
}

/// Seconds of play: `DUEL_SECONDS`, or a few.
fn seconds() -> u64 {
    env::var("DUEL_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

#[test]
fn two_players_stay_in_step_over_a_bad_net() {
    let [relay_left, relay_right] = [local_socket(), local_socket()];
    // Ports that were free a moment ago.
    let [left, right] = [local_socket(), local_socket()].map(|socket| address(&socket));
    carry(&relay_left, &relay_right, right);
    carry(&relay_right, &relay_left, left);
    let example = example("bad_net");
    let players = [
        player(&example, "left", left.port(), address(&relay_left)),
        player(&example, "right", right.port(), address(&relay_right)),
    ];
    let last = seconds() * RATE;
    let deadline = Instant::now() + Duration::from_secs(120 + 10 * seconds());
    let [seen_left, seen_right] = players
        .map(|(player, lines)| {
            let mut checksums = BTreeMap::new();
            while checksums.last_key_value().is_none_or(|(frame, _)| *frame < last) {
                let left = deadline.saturating_duration_since(Instant::now());
                let line = lines.recv_timeout(left).expect("both players go on");
                assert!(!line.contains("the match is over"), "{line}");
                if let Some((frame, checksum)) =
                    line.strip_prefix("frame ").and_then(|rest| rest.split_once(": "))
                {
                    checksums.insert(frame.parse::<u64>().expect("a number"), checksum.to_owned());
                }
            }
            (player, checksums)
        })
        // Both play until both have been heard.
        .map(|(_player, checksums)| checksums);
    assert!(seen_left.len() as u64 > seconds() / 2, "{seen_left:?}");
    let changes = seen_left.values().zip(seen_left.values().skip(1));
    assert!(changes.clone().all(|(before, after)| before != after), "the game stands still");
    for (frame, checksum) in &seen_left {
        if let Some(other) = seen_right.get(frame) {
            assert_eq!(checksum, other, "frame {frame}");
        }
    }
    assert!(
        seen_right.keys().filter(|frame| seen_left.contains_key(frame)).count() as u64
            >= seconds() - 1
    );
}

/// The inputs of the example.
struct Netcode;

impl Config for Netcode {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = SocketAddr;
}

/// A session of the right player.
fn session(port: u16, peer: SocketAddr) -> P2PSession<Netcode> {
    let secret = MatchSecret::from_text(SECRET).expect("long enough");
    let builder = SessionBuilder::<Netcode>::new()
        .with_num_players(2)
        .and_then(|builder| builder.add_player(PlayerType::Remote(peer), 0))
        .and_then(|builder| builder.add_player(PlayerType::Local, 1))
        .expect("two players")
        .with_max_prediction_window(12)
        .with_desync_detection_mode(DesyncDetection::On { interval: 60 });
    let socket = MatchSocket::bind(port, peer, &secret).expect("a port");
    builder.start_p2p_session(socket).expect("a session")
}

/// The line with which the left player ends a match against a game with these checksums.
fn end_against(test: &str, checksum: Option<u128>) -> String {
    let [left, right] = [local_socket(), local_socket()].map(|socket| address(&socket));
    let (_player, lines) = player(&example(test), "left", left.port(), right);
    let mut session = session(right.port(), left);
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        assert!(Instant::now() < deadline, "the match goes on");
        session.poll_remote_clients();
        if session.current_state() == SessionState::Running {
            session.add_local_input(1, 0).expect("a local player");
            for request in session.advance_frame().expect("all inputs are there") {
                if let GgrsRequest::SaveGameState { cell, frame } = request {
                    cell.save(frame, Some(()), checksum);
                }
            }
        }
        if let Some(line) = lines.try_iter().find(|line| line.contains("the match is over")) {
            return line;
        }
        thread::sleep(Duration::from_millis(1000 / RATE));
    }
}

#[test]
fn another_game_ends_the_match_with_the_frame() {
    let end = end_against("another_game", Some(1));
    assert_eq!(end, "the match is over: desync: the two machines differ in frame 60");
}

#[test]
fn a_game_without_checksums_ends_the_match() {
    let end = end_against("no_checksums", None);
    let frame = end.strip_prefix("the match is over: desync: no checksum from frame 0 to frame ");
    let frame: i32 = frame.and_then(|frame| frame.parse().ok()).unwrap_or_else(|| panic!("{end}"));
    // Ten intervals are missing, and not eleven.
    assert!((600..660).contains(&frame), "{end}");
}
