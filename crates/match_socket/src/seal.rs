//! Secrets, and packets with a keyed hash, which this module makes and opens.

use std::fmt::{Debug, Formatter, Result as FmtResult};

use blake3::Hash;
use thiserror::Error;

/// Length of the hash at the end.
const HASH: usize = 32;

/// A random number that stands for a socket.
pub(crate) type Number = [u8; 8];

/// Makes and opens the packets of one side.
pub(crate) struct Seal {
    secret: MatchSecret,
    own: Number,
    peer: Peer,
    /// Count of the next packet.
    next: u64,
}

/// The other side.
enum Peer {
    Unknown,
    /// A packet, perhaps of an earlier match, has this number.
    Heard(Number),
    /// A packet that contains our number has this number.
    Met(Number, Opened),
}

impl Seal {
    /// `own` is a random number, different in each match.
    pub(crate) fn new(secret: MatchSecret, own: Number) -> Self {
        Self { secret, own, peer: Peer::Unknown, next: 0 }
    }

    /// The packet of a message.
    pub(crate) fn close(&mut self, message: &[u8]) -> Vec<u8> {
        let peer = match self.peer {
            Peer::Unknown => Number::default(),
            Peer::Heard(number) | Peer::Met(number, _) => number,
        };
        let mut packet = [&self.own, &peer, &self.next.to_le_bytes(), message].concat();
        self.next += 1;
        let hash = blake3::keyed_hash(self.secret.key(), &packet);
        packet.extend_from_slice(hash.as_bytes());
        packet
    }

    /// The message of a packet from the other player to this socket; `None` for other and for repeated packets.
    pub(crate) fn open<'a>(&mut self, packet: &'a [u8]) -> Option<&'a [u8]> {
        let (sealed, hash) = packet.split_last_chunk::<HASH>()?;
        // The comparison of hashes takes the same time wherever they differ.
        if blake3::keyed_hash(self.secret.key(), sealed) != Hash::from_bytes(*hash) {
            return None;
        }
        let (sender, rest) = sealed.split_first_chunk()?;
        let (receiver, rest) = rest.split_first_chunk::<8>()?;
        let (count, message) = rest.split_first_chunk()?;
        if *sender == self.own {
            return None;
        }
        if *receiver != self.own {
            if !matches!(self.peer, Peer::Met(..)) {
                self.peer = Peer::Heard(*sender);
            }
            return None;
        }
        if !matches!(self.peer, Peer::Met(..)) {
            self.peer = Peer::Met(*sender, Opened::default());
        }
        let Peer::Met(number, opened) = &mut self.peer else { return None };
        (number == sender && opened.admit(u64::from_le_bytes(*count))).then_some(message)
    }
}

/// The counts of packets that were opened. Packets older than the newest by more than 127 are treated as opened.
#[derive(Default)]
struct Opened {
    /// One more than the newest count.
    end: u64,
    /// Bit `n` stands for the count `end - 1 - n`.
    bits: u128,
}

impl Opened {
    /// Whether a packet is opened for the first time.
    fn admit(&mut self, count: u64) -> bool {
        let Some(after) = count.checked_add(1) else { return false };
        if after > self.end {
            let newer = u32::try_from(after - self.end).unwrap_or(u32::MAX);
            self.bits = self.bits.checked_shl(newer).unwrap_or(0);
            self.end = after;
        }
        let Ok(age) = u32::try_from(self.end - after) else { return false };
        let bit = 1_u128.checked_shl(age).unwrap_or(0);
        let is_new = bit != 0 && self.bits & bit == 0;
        self.bits |= bit;
        is_new
    }
}

// Secrets.

/// Least length of a text, in bytes.
const LEAST: usize = 16;

/// Domain of the keys that are derived from texts.
const CONTEXT: &str = "blob_fluid match_socket 2026-11 secret of a match";

/// The secret that the two players of a match share.
///
/// A server that lets players meet draws 32 random bytes for each match and sends them to both players over an
/// encrypted line, such as HTTPS. Players without a server agree on a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchSecret([u8; 32]);

impl MatchSecret {
    /// A secret of 32 random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A secret from a text of at least 16 bytes. Anyone who records a match can try texts as fast as hashes are
    /// computed: use several words that nobody would guess.
    ///
    /// # Errors
    ///
    /// If the text is too short.
    pub fn from_text(text: &str) -> Result<Self, SecretError> {
        match text.len() {
            length if length < LEAST => Err(SecretError::TooShort { length }),
            _ => Ok(Self(blake3::derive_key(CONTEXT, text.as_bytes()))),
        }
    }

    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Debug for MatchSecret {
    /// Secrets stay out of logs.
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str("MatchSecret")
    }
}

/// An error of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SecretError {
    /// The text is too short to be hard to guess.
    #[error("the secret has {length} bytes, and at least {LEAST} are needed")]
    TooShort {
        /// Length of the text, in bytes.
        length: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(secret: u8, own: u8) -> Seal {
        Seal::new(MatchSecret::new([secret; 32]), [own; 8])
    }

    /// Two sides that have met.
    fn sides() -> [Seal; 2] {
        let [mut left, mut right] = [seal(1, 1), seal(1, 2)];
        assert_eq!(right.open(&left.close(b"dropped")), None);
        assert_eq!(left.open(&right.close(b"hello")), Some(&b"hello"[..]));
        assert_eq!(right.open(&left.close(b"hello")), Some(&b"hello"[..]));
        [left, right]
    }

    #[test]
    fn each_packet_is_opened_once_in_any_order() {
        let [mut left, mut right] = sides();
        let packets: Vec<_> = (0..100_u8).map(|n| left.close(&[n])).collect();
        for (n, packet) in packets.iter().enumerate().rev() {
            assert_eq!(right.open(packet), Some(&[n as u8][..]));
        }
        assert!(packets.iter().all(|packet| right.open(packet).is_none()));
    }

    #[test]
    fn packets_that_come_very_late_are_dropped() {
        let [mut left, mut right] = sides();
        let late = left.close(b"late");
        let packets: Vec<_> = (0..128_u8).map(|n| left.close(&[n])).collect();
        assert!(right.open(&packets[127]).is_some());
        assert_eq!(right.open(&late), None);
        assert!(packets[..127].iter().all(|packet| right.open(packet).is_some()));
    }

    #[test]
    fn a_gap_of_any_size_is_no_harm() {
        let mut opened = Opened::default();
        for count in [5, 200, 1 << 40, u64::MAX - 1] {
            assert!(opened.admit(count) && !opened.admit(count));
        }
        assert!(opened.admit(u64::MAX - 2) && !opened.admit(3) && !opened.admit(u64::MAX));
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_found() {
        let [mut left, mut right] = sides();
        let packet = left.close(b"a message");
        for at in 0..packet.len() {
            let mut changed = packet.clone();
            changed[at] ^= 1;
            assert_eq!(right.open(&changed), None, "byte {at}");
            assert_eq!(right.open(&packet[..at]), None, "{at} bytes");
            assert_eq!(right.open(&packet[at + 1..]), None, "from {at}");
        }
        assert_eq!(right.open(&packet), Some(&b"a message"[..]));
    }

    #[test]
    fn packets_of_other_matches_are_dropped_and_so_are_own_ones() {
        let [mut left, mut right] = sides();
        let [mut old_left, mut old_right] = [seal(1, 3), seal(1, 4)];
        let _ = old_right.open(&old_left.close(b""));
        let _ = old_left.open(&old_right.close(b""));
        let other = seal(2, 1).close(b"of another secret");
        let old = old_left.close(b"of a match with the same secret");
        let first = seal(1, 5).close(b"of a third socket");
        for packet in [&other, &old, &first] {
            assert_eq!(left.open(packet), None);
            assert_eq!(right.open(packet), None);
        }
        let own = left.close(b"comes back");
        assert_eq!(left.open(&own), None);
        assert!(right.open(&own).is_some());
    }

    #[test]
    fn packets_of_an_earlier_match_do_not_keep_two_sides_from_meeting() {
        let [mut left, mut right] = [seal(1, 1), seal(1, 2)];
        let old = seal(1, 3).close(b"old");
        assert_eq!(left.open(&right.close(b"")), None);
        assert_eq!(left.open(&old), None);
        // The left side takes the old number for that of the right one, until that comes again.
        assert_eq!(right.open(&left.close(b"")), None);
        assert_eq!(left.open(&right.close(b"met")), Some(&b"met"[..]));
        assert_eq!(left.open(&old), None);
        assert_eq!(right.open(&left.close(b"met")), Some(&b"met"[..]));
    }
}
