//! The stream on which a server speaks unasked (GET, revisions before 2026-07-28): opened once the session has begun,
//! resumed as long as the server offers it.

use super::Wire;
use super::greeting::is_events;
use super::stream::Events;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl Wire {
    /// Listens from now on, in place of whoever listened before.
    pub(super) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        if state.ending || state.transport == crate::http::target::Transport::Sse {
            return;
        }
        let listener = Arc::clone(self);
        let task = tokio::spawn(async move { listener.keep_listening().await }).abort_handle();
        if let Some(before) = state.listening.replace(task) {
            before.abort();
        }
    }

    async fn keep_listening(&self) {
        let mut events = Events::new();
        let mut failures = 0_u32;
        loop {
            let headers = self.headers_beside(events.parser.last_id());
            let began = Instant::now();
            match self.client.listen(&self.client.url(), &headers).await {
                Ok(response) if response.status().is_success() && is_events(response.headers()) => {
                    events.connect(response.into_body());
                    while let Some(event) = events.next().await {
                        self.hand_event(&event).await;
                    }
                }
                // Not offered, or the session is gone: the next message finds that out.
                Ok(response) if !response.status().is_server_error() => return,
                Ok(_) | Err(_) => {}
            }
            failures = if began.elapsed() > Duration::from_secs(5) { 0 } else { failures.saturating_add(1) };
            let asked =
                events.parser.retry().map_or(PAUSE, Duration::from_millis).max(Duration::from_millis(50));
            let pause = asked * 2_u32.saturating_pow(failures.saturating_sub(1).min(10));
            tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
        }
    }
}
