//! What HTTP says beside the messages, from one edge of a relay to the other where both are HTTP: who the client says
//! that it is, and with which status the server refused.

use bouncer_core::call::Id;
use http::HeaderValue;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More refusals than this are not waited for by anybody.
const MOST: usize = 256;

/// Shared by the two edges of one relay.
#[derive(Debug, Default)]
pub(crate) struct Side {
    authorization: Mutex<Option<HeaderValue>>,
    refused: Mutex<BTreeMap<Id, Refused>>,
}

/// A status with which the server answered instead of a message.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    /// Every `WWW-Authenticate`, as it came.
    pub(crate) challenges: Vec<HeaderValue>,
}

impl Side {
    /// The client's newest `Authorization`.
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        lock(&self.authorization).clone()
    }

    pub(crate) fn authorize(&self, value: &HeaderValue) {
        let mut value = value.clone();
        value.set_sensitive(true);
        *lock(&self.authorization) = Some(value);
    }

    /// The request `id` was refused. To be said before its answer goes out.
    pub(crate) fn refuse(&self, id: &Id, refused: Refused) {
        let mut all = lock(&self.refused);
        if all.len() < MOST {
            all.insert(id.clone(), refused);
        }
    }

    pub(crate) fn take(&self, id: &Id) -> Option<Refused> {
        lock(&self.refused).remove(id)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
