//! Matches over UDP with [ggrs], protected against strangers and desyncs, for games with two players.
//!
//! [ggrs] neither authenticates nor encrypts its packets, and some packets end the program that reads them.
//! [`MatchSocket`] drops every packet that was not made by the other player of the same match, before ggrs reads it.
//! [`MatchWatch`] ends a match if its machines differ, or if checksums that would show a difference are missing.
//!
//! # Trust
//!
//! - The other player is trusted: anyone with the secret can end the match and the program. Give a secret to two
//!   players, for one match.
//! - Packets are authenticated, not encrypted: anyone who sees packets can read them.
//! - Anyone between the players can drop and delay packets, and a flood can fill the line. The match then ends by
//!   ggrs's timeout.
//!
//! # Packets
//!
//! | bytes | content |
//! |---|---|
//! | 8 | number of the sender, drawn at random when its socket is bound |
//! | 8 | number of the receiver, or zeros before the sender knows it |
//! | 8 | count of the packet, from 0 |
//! | any | the message of ggrs |
//! | 32 | BLAKE3 keyed hash of all previous bytes, with the secret as its key |
//!
//! A packet of another match has the hash of another secret. If players use a secret twice, the number of the receiver
//! differs. A packet that comes back to its sender has the wrong number too, and each count is accepted once. Packets
//! with zeros for the receiver are dropped after the number of the sender is read: ggrs sends its first messages again
//! until they are answered.
//!
//! # Example
//!
//! ```
//! use ggrs::{DesyncDetection, PlayerType, PredictRepeatLast, SessionBuilder};
//! use match_socket::{MatchSecret, MatchSocket, MatchWatch};
//!
//! # struct Netcode;
//! # impl ggrs::Config for Netcode {
//! #     type Input = u8;
//! #     type InputPredictor = PredictRepeatLast;
//! #     type State = ();
//! #     type Address = std::net::SocketAddr;
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let peer = "127.0.0.1:7001".parse()?;
//! let secret = MatchSecret::from_text("five green boats at noon")?;
//! let socket = MatchSocket::bind(0, peer, &secret)?;
//! // 60 frames between two checksums; a match ends when those of 10 intervals are missing.
//! let watch = MatchWatch::new(&socket, 60, 10);
//! let mut session = SessionBuilder::<Netcode>::new()
//!     .with_num_players(2)?
//!     .with_desync_detection_mode(DesyncDetection::On { interval: 60 })
//!     .add_player(PlayerType::Local, 0)?
//!     .add_player(PlayerType::Remote(peer), 1)?
//!     .start_p2p_session(socket)?;
//! // In each frame:
//! session.poll_remote_clients();
//! let confirmed = session.confirmed_frame();
//! let events: Vec<_> = session.events().collect();
//! watch.check(&events, confirmed)?;
//! # Ok(())
//! # }
//! ```

mod seal;
mod socket;

pub use seal::{MatchSecret, SecretError};
pub use socket::{MatchError, MatchSocket, MatchWatch, SocketError};
