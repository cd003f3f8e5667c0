//! Warnings of the plugin, as all tests of a program log them.

use std::fmt::Debug;
use std::sync::{Mutex, Once, PoisonError};

use bevy::log::tracing::field::{Field, Visit};
use bevy::log::tracing::{Event, Level, Subscriber, subscriber};
use bevy::log::tracing_subscriber::filter::LevelFilter;
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::{Layer, Registry};

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the text of warnings.
struct Keep;

impl<S: Subscriber> Layer<S> for Keep {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
                self.0 += &format!("{value:?}");
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        if *event.metadata().level() == Level::WARN {
            WARNINGS.lock().unwrap_or_else(PoisonError::into_inner).push(text.0);
        }
    }
}

/// Keeps the warnings of this program from now on.
pub fn keep_warnings() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = Registry::default().with(LevelFilter::WARN).with(Keep);
        subscriber::set_global_default(subscriber).expect("the first one");
    });
}

/// The warnings that name this entity, which are then forgotten. No other test may have an entity of the name.
pub fn take_warnings(name: &str) -> Vec<String> {
    take_warnings_about(&format!("`{name}`"))
}

/// The warnings that contain a text, which are then forgotten. No other test may cause them.
pub fn take_warnings_about(text: &str) -> Vec<String> {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.extract_if(.., |warning| warning.contains(text)).collect()
}
