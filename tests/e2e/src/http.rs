//! Processes that listen on a port: real servers, and Bouncer itself with `--listen`.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that listens. It is killed with this value.
#[derive(Debug)]
pub struct Listening {
    child: Child,
    /// Its port.
    pub port: u16,
}

impl Listening {
    /// Starts what `command` makes of a free port, and waits until somebody can connect to that.
    ///
    /// # Panics
    /// Where it does not start, or does not listen within half a minute.
    #[must_use]
    #[allow(clippy::expect_used, clippy::panic)]
    pub fn start(command: impl FnOnce(u16) -> Command) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = free.local_addr().expect("its number").port();
        drop(free);
        let mut command = command(port);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the server starts");
        let mut listening = Self { child, port };
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Ok(Some(status)) = listening.child.try_wait() {
                panic!("{command:?} ended before it listened: {status}");
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{command:?} does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        listening
    }

    /// A URL on its port.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Asked first, so that what it started itself ends with it.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        for _ in 0..100 {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
