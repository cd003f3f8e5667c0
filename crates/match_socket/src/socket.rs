//! The socket of a match, and the watch that ends a match whose machines differ.

use std::io::{Error as IoError, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use ggrs::{Config, GgrsEvent, Message, NonBlockingSocket};
use thiserror::Error;

use crate::seal::{MatchSecret, Seal};

/// Largest number of packets that one call reads, so that it returns even in a flood.
const MOST: usize = 256;

/// Largest packet of UDP.
const LARGEST: usize = 1 << 16;

/// A UDP socket between the two players of a match.
pub struct MatchSocket {
    socket: UdpSocket,
    peer: SocketAddr,
    seal: Seal,
    buffer: Box<[u8]>,
    reported: Arc<AtomicI32>,
}

impl MatchSocket {
    /// Binds a port of this machine, and receives packets only from the address of the peer.
    ///
    /// # Errors
    ///
    /// If the port cannot be bound, the peer has no route, or the system has no random numbers.
    pub fn bind(port: u16, peer: SocketAddr, secret: &MatchSecret) -> Result<Self, SocketError> {
        let any = match peer {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        let connected = || {
            let socket = UdpSocket::bind((any, port))?;
            socket.set_nonblocking(true)?;
            socket.connect(peer)?;
            Ok(socket)
        };
        let socket = connected().map_err(|source| SocketError::Bind { port, peer, source })?;
        let mut own = [0; 8];
        getrandom::fill(&mut own)?;
        Ok(Self {
            socket,
            peer,
            seal: Seal::new(*secret, own),
            buffer: vec![0; LARGEST].into(),
            reported: Arc::new(AtomicI32::new(-1)),
        })
    }

    /// The last frame of which the peer has sent a checksum; -1 before the first checksum.
    pub(crate) fn reported(&self) -> Arc<AtomicI32> {
        self.reported.clone()
    }

    /// The message of the packet at the beginning of the buffer.
    fn read(&mut self, length: usize) -> Option<Message> {
        let bytes = self.seal.open(&self.buffer[..length])?;
        let message = bincode::deserialize(bytes).ok()?;
        if let Some(frame) = reported_frame(bytes) {
            self.reported.fetch_max(frame, Ordering::Relaxed);
        }
        Some(message)
    }
}

impl NonBlockingSocket<SocketAddr> for MatchSocket {
    fn send_to(&mut self, message: &Message, address: &SocketAddr) {
        if *address == self.peer
            && let Ok(bytes) = bincode::serialize(message)
        {
            // A packet that cannot be sent is a packet that is lost.
            let _ = self.socket.send(&self.seal.close(&bytes));
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        let mut messages = Vec::new();
        for _ in 0..MOST {
            match self.socket.recv(&mut self.buffer) {
                Ok(length) => {
                    messages.extend(self.read(length).map(|message| (self.peer, message)))
                }
                // Nobody listened to an earlier packet, or on Windows one was too large.
                Err(error) if is_of_one_packet(&error) => {}
                Err(_) => break,
            }
        }
        messages
    }
}

/// Whether more packets may wait behind an error.
fn is_of_one_packet(error: &IoError) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionRefused | ConnectionReset | Interrupted)
}

/// The frame of a checksum report, from the bytes of a message of ggrs 0.13, whose fields are private.
fn reported_frame(bytes: &[u8]) -> Option<i32> {
    /// Place of the report among the kinds of messages.
    const REPORT: u32 = 6;
    let (_, kind, _, frame): (u16, u32, u128, i32) = bincode::deserialize(bytes).ok()?;
    (kind == REPORT).then_some(frame)
}

/// An error of a socket.
#[derive(Debug, Error)]
pub enum SocketError {
    /// The port or the peer cannot be used.
    #[error("port {port}, with {peer} as the other player: {source}")]
    Bind {
        /// The port of this machine.
        port: u16,
        /// The address of the other player.
        peer: SocketAddr,
        /// The error of the system.
        source: IoError,
    },
    /// The system has no random numbers.
    #[error("no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

// The end of a match.

/// Ends a match if its machines differ, or if checksums that would show a difference are missing.
pub struct MatchWatch {
    reported: Arc<AtomicI32>,
    /// Largest number of frames without a checksum.
    most: i32,
}

impl MatchWatch {
    /// A watch over the session of a socket. `interval` is the number of frames between two checksums, as in
    /// [`DesyncDetection::On`](ggrs::DesyncDetection::On). The match ends after `intervals` intervals without a
    /// checksum: use several, because lost packets are not sent again.
    pub fn new(socket: &MatchSocket, interval: u32, intervals: u32) -> Self {
        let most = interval.saturating_mul(intervals);
        Self { reported: socket.reported(), most: i32::try_from(most).unwrap_or(i32::MAX) }
    }

    /// Checks the new events of a session. `confirmed` is its confirmed frame before it returned these events.
    ///
    /// # Errors
    ///
    /// Returns an error if the match must end.
    pub fn check<T>(&self, events: &[GgrsEvent<T>], confirmed: i32) -> Result<(), MatchError>
    where
        T: Config<Address = SocketAddr>,
    {
        for event in events {
            match event {
                GgrsEvent::DesyncDetected { frame, .. } => {
                    return Err(MatchError::Desync { frame: *frame });
                }
                GgrsEvent::Disconnected { addr } => return Err(MatchError::Left { peer: *addr }),
                _ => {}
            }
        }
        let reported = self.reported.load(Ordering::Relaxed).max(0);
        match confirmed.saturating_sub(reported) > self.most {
            true => Err(MatchError::NoChecksum { reported, confirmed }),
            false => Ok(()),
        }
    }
}

/// The reason why a match has ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatchError {
    /// The checksums of a frame differ.
    #[error("desync: the two machines differ in frame {frame}")]
    Desync {
        /// The frame.
        frame: i32,
    },
    /// The peer continues to play but sends no checksums, so a difference of the machines is not detected.
    #[error("desync: no checksum from frame {reported} to frame {confirmed}")]
    NoChecksum {
        /// The frame of the last checksum, or 0.
        reported: i32,
        /// The last frame whose inputs are known.
        confirmed: i32,
    },
    /// The peer has left, or nothing came from it for too long.
    #[error("{peer} has left")]
    Left {
        /// The address of the peer.
        peer: SocketAddr,
    },
}
