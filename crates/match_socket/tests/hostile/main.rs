//! Matches between strangers' packets, and matches whose machines differ.

mod packets;
mod players;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use ggrs::{SessionState, UdpNonBlockingSocket};
use match_socket::{MatchError, MatchSecret, MatchSocket, SecretError, SocketError};
use packets::{Body, Packet, disconnect, hostile, one_input};
use players::{
    INTERVAL, MISSING, Player, Table, address, builder, free_address, honest, local_socket,
};

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
    let large = Packet::of(Body::Input(packets::input(0, vec![0; 3900]))).bytes();
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
    let taken = std::net::UdpSocket::bind("0.0.0.0:0").expect("a port");
    let port = address(&taken).port();
    let end = MatchSocket::bind(port, free_address(), &secret).map(|_| ());
    assert!(matches!(end, Err(SocketError::Bind { .. })), "{end:?}");
}
