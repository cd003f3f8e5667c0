//! Detection of a display and a graphics adapter.

use bevy::render::settings::Backends;

/// Whether a window can be opened.
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) fn has_display() -> bool {
    std::env::var("DISPLAY").is_ok_and(|display| display_answers(&display))
}

/// Whether a window can be opened. On this platform it always can.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(crate) fn has_display() -> bool {
    true
}

/// Whether an X server listens, on this machine or on another one. Without a server, winit would
/// panic.
#[cfg(all(unix, not(target_os = "macos")))]
fn display_answers(display: &str) -> bool {
    use std::os::unix::net::UnixStream;

    let Some((host, numbers)) = display.rsplit_once(':') else {
        return false;
    };
    let number = numbers.split('.').next().unwrap_or_default();
    if !host.is_empty() && host != "unix" {
        return remote_answers(host, number);
    }
    let path = format!("/tmp/.X11-unix/X{number}");
    UnixStream::connect(&path).is_ok() || abstract_socket_answers(&path)
}

/// Whether a server listens on the port of display `number` of another machine, or on a port
/// forwarded by SSH. A stale forward of a closed session refuses the connection.
#[cfg(all(unix, not(target_os = "macos")))]
fn remote_answers(host: &str, number: &str) -> bool {
    use std::net::{TcpStream, ToSocketAddrs};
    use std::time::Duration;

    // Display 0 has port 6000.
    let port = number.parse::<u16>().ok().and_then(|number| number.checked_add(6000));
    let Some(addresses) = port.and_then(|port| (host, port).to_socket_addrs().ok()) else {
        return false;
    };
    let patience = Duration::from_secs(2);
    addresses.into_iter().any(|address| TcpStream::connect_timeout(&address, patience).is_ok())
}

/// Whether a server listens on an abstract socket. Some servers listen only there.
#[cfg(target_os = "linux")]
fn abstract_socket_answers(name: &str) -> bool {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};

    let address = SocketAddr::from_abstract_name(name);
    address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
}

#[cfg(all(unix, not(target_os = "macos"), not(target_os = "linux")))]
fn abstract_socket_answers(_name: &str) -> bool {
    false
}

/// The graphics backends that have an adapter.
///
/// Without a display only Vulkan is tried. The others need a display, and print errors on the
/// terminal.
pub(crate) fn find_adapter() -> Option<Backends> {
    let others = if has_display() { Backends::all() } else { Backends::empty() };
    [Backends::VULKAN, others].into_iter().find(|backends| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = *backends;
        let request = wgpu::RequestAdapterOptions::default();
        let instance = wgpu::Instance::new(descriptor);
        bevy::tasks::block_on(instance.request_adapter(&request)).is_ok()
    })
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn displays_that_nobody_serves_are_none() {
        for display in ["", ":", ":4711", "unix:4711.0", "nonsense"] {
            assert!(!display_answers(display), "{display}");
        }
        // No server listens on port 64000, and 76000 is not a valid port.
        assert!(!display_answers("localhost:58000"));
        assert!(!display_answers("localhost:70000"));
    }

    #[test]
    fn a_display_over_the_network_is_found_where_somebody_listens() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        assert!(port > 6000, "{port}");
        assert!(display_answers(&format!("127.0.0.1:{}.0", port - 6000)));
    }
}
