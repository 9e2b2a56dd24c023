use std::future::Future;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::{Error, Result};

/// A separate thread, which serves connections also while no call waits.
pub(super) struct Background {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Background {
    pub(super) fn start() -> Result<Arc<Self>> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("wes-client")
            .enable_all()
            .build()
            .map_err(|error| Error::InvalidArgument {
                message: format!("cannot start a thread for the client: {error}"),
                source: Some(Box::new(error)),
            })?;
        Ok(Arc::new(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        }))
    }

    #[track_caller]
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.handle.block_on(answer)
    }
}

impl Drop for Background {
    /// Does not wait for the thread, because the last client may be dropped in async code.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
