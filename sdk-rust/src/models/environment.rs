use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A name in the environment of a project's effects. No answer has its value.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for variable in client.environment().list("default").await? {
///     println!("{}, set at {}", variable.name, variable.updated_at);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EnvironmentVariable {
    /// The name in `process.env`.
    pub name: String,
    /// When it was first set.
    pub created_at: String,
    /// When it was last set.
    pub updated_at: String,
}

/// A change of the environment of a project's effects. What is neither set nor removed stays as it is.
///
/// `Debug` shows names only.
///
/// ```
/// use workflow_execution_service::EnvironmentChange;
///
/// let change = EnvironmentChange::new().set("API_KEY", "secret").remove("OLD_KEY");
/// assert_eq!(serde_json::to_string(&change)?, r#"{"set":{"API_KEY":"secret"},"remove":["OLD_KEY"]}"#);
/// assert!(!format!("{change:?}").contains("secret"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[must_use]
pub struct EnvironmentChange {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    set: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remove: Vec<String>,
}

impl EnvironmentChange {
    /// No change.
    ///
    /// ```
    /// # use workflow_execution_service::EnvironmentChange;
    /// assert_eq!(EnvironmentChange::new(), EnvironmentChange::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable. A name has letters, digits and `_`; a value at most 32 KiB.
    ///
    /// ```
    /// # use workflow_execution_service::EnvironmentChange;
    /// let change = EnvironmentChange::new().set("API_KEY", "secret");
    /// ```
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set.insert(name.into(), value.into());
        self
    }

    /// Removes a variable. One that is not set is no error.
    ///
    /// ```
    /// # use workflow_execution_service::EnvironmentChange;
    /// let change = EnvironmentChange::new().remove("OLD_KEY");
    /// ```
    pub fn remove(mut self, name: impl Into<String>) -> Self {
        self.remove.push(name.into());
        self
    }
}

impl fmt::Debug for EnvironmentChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EnvironmentChange")
            .field("set", &self.set.keys().collect::<Vec<_>>())
            .field("remove", &self.remove)
            .finish()
    }
}
