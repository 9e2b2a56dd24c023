use serde::Serialize;

use super::Client;
use crate::error::Result;
use crate::models::{FiringReceipt, List, Trigger, TriggerList};

/// The calls for Triggers. For hosted services only. From [`Client::triggers`].
///
/// ```
/// use workflow_execution_service::blocking::Triggers;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("https://wes.example").build_blocking()?;
/// let triggers: Triggers<'_> = client.triggers();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Triggers<'a> {
    pub(super) client: &'a Client,
}

impl Triggers<'_> {
    /// All Triggers of a project.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Triggers", client.triggers().list("default")?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self, project_id: &str) -> Result<TriggerList> {
        self.client.wait(self.client.client.triggers().list(project_id))
    }

    /// The Triggers of a Program in the client's project, in one page.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Triggers", client.triggers().of_program("order-approval")?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn of_program(self, program_id: &str) -> Result<List<Trigger>> {
        self.client.wait(self.client.client.triggers().of_program(program_id))
    }

    /// Replaces all Triggers of a project, like [`crate::Triggers::replace`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::{NewTrigger, Webhook};
    ///
    /// let triggers = [NewTrigger::webhook("order-approval", Webhook::new())];
    /// client.triggers().replace("default", &triggers)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn replace<T: Serialize>(self, project_id: &str, triggers: &[T]) -> Result<TriggerList> {
        self.client
            .wait(self.client.client.triggers().replace(project_id, triggers))
    }

    /// Replaces them unless others did, like [`crate::Triggers::replace_if_match`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::NewTrigger;
    ///
    /// let now = client.triggers().list("default")?;
    /// let triggers = now.items.iter().map(NewTrigger::keeping).collect::<Result<Vec<_>, _>>()?;
    /// client.triggers().replace_if_match("default", &triggers, &now.etag.unwrap_or_default())?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn replace_if_match<T: Serialize>(self, project_id: &str, triggers: &[T], etag: &str) -> Result<TriggerList> {
        self.client.wait(
            self.client
                .client
                .triggers()
                .replace_if_match(project_id, triggers, etag),
        )
    }

    /// Fires a Trigger by hand, like [`crate::Triggers::fire`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let receipt = client.triggers().fire("default", "trg_01jcx3b8e0e0t9qv2m5k7w4z6n", ())?;
    /// println!("{}", receipt.execution_id);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn fire<I: Serialize>(self, project_id: &str, id: &str, input: I) -> Result<FiringReceipt> {
        self.client
            .wait(self.client.client.triggers().fire(project_id, id, input))
    }
}
