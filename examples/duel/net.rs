//! The same game on two machines: inputs go over the net, each machine predicts those of the other, and rolls
//! the liquid back when it was wrong.
//!
//! The other player is trusted. Both players type the same secret, a new one for each match, and all packets
//! without it are dropped before the netcode reads them. Packets are not encrypted.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::FluidRollbackPlugin;
use bevy_blob_fluid::prelude::*;
use bevy_ggrs::ggrs::{DesyncDetection, P2PSession, SessionState};
use bevy_ggrs::prelude::*;
use bevy_ggrs::{
    Checksum, ConfirmedFrameCount, LocalInputs, PlayerInputs, RollbackFrameCount, SaveWorld,
    SaveWorldSystems,
};
use match_socket::{MatchSecret, MatchSocket, MatchWatch};

use super::super::{Duel, Hands, Score, bot, game, keys_of};

type Netcode = GgrsConfig<u8>;

/// Frames after which an input counts, on both machines: what comes within them is not predicted.
const DELAY: usize = 2;
/// Most frames that are predicted: longer than a hundred milliseconds and what is sent twice.
const PREDICTION: usize = 12;
/// Frames between two checksums that the machines compare.
const COMPARED: i32 = 60;
/// Checksums that may be missing, one after the other.
const MISSING: u32 = 10;

/// A match with another machine.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct Match {
    side: usize,
    port: u16,
    peer: SocketAddr,
    secret: MatchSecret,
}

/// Ends the match when the machines differ.
#[derive(Resource)]
struct Watch(MatchWatch);

impl Match {
    /// From the words of a command line: the side, the port of this machine, the address of the other, and the
    /// secret, as in `left 7000 192.168.0.7:7000 five-green-boats`. `None` if neither side is named.
    pub(crate) fn of(words: &[String]) -> Option<Result<Self, String>> {
        let first = words.iter().position(|word| word == "left" || word == "right")?;
        let side = usize::from(words[first] == "right");
        let usage = "expected `left PORT ADDRESS:PORT SECRET`, or `right` for the other player";
        let numbers = (|| {
            let port = words.get(first + 1)?.parse().ok()?;
            Some((port, words.get(first + 2)?.parse().ok()?, words.get(first + 3)?))
        })();
        let Some((port, peer, secret)) = numbers else { return Some(Err(usage.into())) };
        let secret = MatchSecret::from_text(secret).map_err(|error| error.to_string());
        Some(secret.map(|secret| Self { side, port, peer, secret }))
    }

    fn session(&self) -> Result<(P2PSession<Netcode>, Watch)> {
        let socket = MatchSocket::bind(self.port, self.peer, &self.secret)?;
        let watch = Watch(MatchWatch::new(&socket, COMPARED as u32, MISSING));
        let mut builder = SessionBuilder::<Netcode>::new()
            .with_num_players(2)?
            .with_input_delay(DELAY)
            .with_max_prediction_window(PREDICTION)
            .with_disconnect_timeout(Duration::from_secs(10))
            .with_desync_detection_mode(DesyncDetection::On { interval: COMPARED as u32 });
        for player in 0..2 {
            let kind = match player == self.side {
                true => PlayerType::Local,
                false => PlayerType::Remote(self.peer),
            };
            builder = builder.add_player(kind, player)?;
        }
        Ok((builder.start_p2p_session(socket)?, watch))
    }
}

impl Plugin for Match {
    fn build(&self, app: &mut App) {
        let (session, watch) = self.session().unwrap_or_else(|error| panic!("{error}"));
        app.add_plugins(GgrsPlugin::<Netcode>::default())
            .add_plugins((BlobFluidPlugins::new(GgrsSchedule), FluidRollbackPlugin))
            // The game's own state. All places and aims follow from it.
            .rollback_resource_with_copy::<Duel>()
            .checksum_resource_with_hash::<Duel>()
            .insert_resource(Session::P2P(session))
            .insert_resource(watch)
            .insert_resource(*self)
            .init_resource::<Checksums>()
            .add_systems(ReadInputs, send)
            .add_systems(GgrsSchedule, receive.before(game::play))
            .add_systems(SaveWorld, note_checksum.after(SaveWorldSystems::Snapshot))
            .add_systems(Update, follow_session.run_if(resource_exists::<Session<Netcode>>))
            .add_systems(Update, show_state)
            .add_systems(PostStartup, pass_time);
        game::add(app, GgrsSchedule);
        // A tick for each frame of the netcode.
        let tick = FluidTick::Every(Duration::from_secs(1) / 60);
        app.world_mut().resource_mut::<Time<Fluid>>().set_tick(tick);
    }
}

/// Time passes as it does for the other machine, also where nothing is drawn.
fn pass_time(mut strategy: ResMut<TimeUpdateStrategy>) {
    *strategy = TimeUpdateStrategy::Automatic;
}

/// This player's keys; without a window, a bot's.
fn send(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    windows: Query<&Window>,
    duel: Res<Duel>,
    here: Res<Match>,
) {
    let held = match windows.is_empty() {
        true => bot(here.side, &duel),
        false => keys_of(0, &keys) | keys_of(1, &keys),
    };
    let inputs = HashMap::from_iter([(here.side, held)]);
    commands.insert_resource(LocalInputs::<Netcode>(inputs));
}

/// What both players do in this frame, or are thought to do.
fn receive(inputs: Res<PlayerInputs<Netcode>>, mut hands: ResMut<Hands>) {
    hands.0 = [inputs[0].0, inputs[1].0];
}

/// Checksums of frames, the last time they were simulated.
#[derive(Resource, Default)]
struct Checksums(BTreeMap<i32, u128>);

fn note_checksum(
    checksum: Option<Res<Checksum>>,
    frame: Res<RollbackFrameCount>,
    mut noted: ResMut<Checksums>,
) {
    if let Some(checksum) = checksum
        && frame.0 % COMPARED == 0
    {
        noted.0.insert(frame.0, checksum.0);
    }
}

/// Without a window, frames that are no longer predicted are printed with their checksums.
fn show_state(
    windows: Query<&Window>,
    confirmed: Res<ConfirmedFrameCount>,
    mut noted: ResMut<Checksums>,
) {
    while let Some(first) = noted.0.first_entry()
        && *first.key() + (PREDICTION as i32) < confirmed.0
    {
        let (frame, checksum) = first.remove_entry();
        if windows.is_empty() {
            println!("frame {frame}: {checksum:032x}");
        }
    }
    if windows.is_empty() {
        // Nothing else waits here, as a display does.
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Says on the screen how the match is, and ends it when the machines differ or the other player has left: then the
/// game stands still.
fn follow_session(
    mut commands: Commands,
    mut session: ResMut<Session<Netcode>>,
    here: Res<Match>,
    watch: Res<Watch>,
    mut text: Single<&mut Text2d, With<Score>>,
) {
    let Session::P2P(session) = &mut *session else { return };
    let confirmed = session.confirmed_frame();
    let events: Vec<_> = session.events().collect();
    if let Err(end) = watch.0.check(&events, confirmed) {
        println!("the match is over: {end}");
        text.0 = format!("the match is over: {end}");
        commands.remove_resource::<Session<Netcode>>();
        return;
    }
    for event in &events {
        if let GgrsEvent::NetworkInterrupted { addr, .. } = event {
            warn!("nothing comes from {addr}");
        }
    }
    if session.current_state() == SessionState::Synchronizing {
        text.0 = format!("waiting for {}", here.peer);
    } else if let Ok(stats) = session.network_stats(1 - here.side) {
        text.0 = format!("{} ms there and back", stats.ping);
    }
}
