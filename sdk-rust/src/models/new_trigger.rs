use serde::Serialize;
use serde_json::Value;

use super::{Secret, Trigger, TriggerType};
use crate::error::{Error, Result};

/// A Trigger of a list that replaces the Triggers of a project.
///
/// ```
/// use workflow_execution_service::{NewTrigger, Schedule, Webhook};
///
/// let webhook = NewTrigger::webhook("order-approval", Webhook::new().generate_secret()).name("Orders");
/// let schedule = NewTrigger::schedule("report", Schedule::new("0 9 * * *").timezone("Europe/Berlin"));
/// assert_eq!(
///     serde_json::to_string(&schedule)?,
///     r#"{"programId":"report","type":"schedule","cron":"0 9 * * *","timezone":"Europe/Berlin"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct NewTrigger {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    program_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<bool>,
    #[serde(flatten)]
    cause: Cause,
}

/// What fires it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Cause {
    Webhook(Webhook),
    Schedule(Schedule),
}

impl NewTrigger {
    /// A Trigger that fires when its address is called. The service chooses the address.
    ///
    /// ```
    /// # use workflow_execution_service::{NewTrigger, Webhook};
    /// let trigger = NewTrigger::webhook("order-approval", Webhook::new());
    /// ```
    pub fn webhook(program_id: impl Into<String>, webhook: Webhook) -> Self {
        Self::new(program_id.into(), Cause::Webhook(webhook))
    }

    /// A Trigger that fires at the times of a schedule.
    ///
    /// ```
    /// # use workflow_execution_service::{NewTrigger, Schedule};
    /// let trigger = NewTrigger::schedule("report", Schedule::new("0 9 * * *"));
    /// ```
    pub fn schedule(program_id: impl Into<String>, schedule: Schedule) -> Self {
        Self::new(program_id.into(), Cause::Schedule(schedule))
    }

    /// A Trigger that stays as it is.
    ///
    /// Fails for a type that this version of the client does not know, because its settings would get lost.
    ///
    /// ```no_run
    /// use workflow_execution_service::{NewTrigger, Webhook};
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let now = client.triggers().list("default").await?;
    /// let mut triggers = now.items.iter().map(NewTrigger::keeping).collect::<Result<Vec<_>, _>>()?;
    /// triggers.push(NewTrigger::webhook("order-approval", Webhook::new()));
    /// client.triggers().replace_if_match("default", &triggers, &now.etag.unwrap_or_default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn keeping(trigger: &Trigger) -> Result<Self> {
        let cause = match &trigger.kind {
            TriggerType::Webhook => Cause::Webhook(Webhook::new()),
            TriggerType::Schedule => Cause::Schedule(Schedule {
                cron: trigger.cron.clone().unwrap_or_default(),
                timezone: trigger.timezone.clone(),
                input: trigger.input.clone(),
            }),
            TriggerType::Unknown(word) => {
                return Err(Error::invalid(format!(
                    "this version of the client cannot keep the Trigger {} of type {word:?}",
                    trigger.id
                )));
            }
        };
        Ok(Self {
            id: Some(trigger.id.clone()),
            name: trigger.name.clone(),
            enabled: Some(trigger.enabled),
            ..Self::new(trigger.program_id.clone(), cause)
        })
    }

    fn new(program_id: String, cause: Cause) -> Self {
        Self {
            id: None,
            program_id,
            name: None,
            enabled: None,
            cause,
        }
    }

    /// The id of the Trigger that this one takes the place of. A webhook keeps its address.
    ///
    /// ```
    /// # use workflow_execution_service::{NewTrigger, Webhook};
    /// let trigger = NewTrigger::webhook("order-approval", Webhook::new()).id("trg_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// ```
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// At most 80 characters.
    ///
    /// ```
    /// # use workflow_execution_service::{NewTrigger, Webhook};
    /// let trigger = NewTrigger::webhook("order-approval", Webhook::new()).name("Orders");
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Whether it fires by itself. By default it does.
    ///
    /// ```
    /// # use workflow_execution_service::{NewTrigger, Webhook};
    /// let trigger = NewTrigger::webhook("order-approval", Webhook::new()).enabled(false);
    /// ```
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
        self
    }
}

/// The settings of a webhook.
///
/// ```
/// use workflow_execution_service::Webhook;
///
/// let signed = Webhook::new().generate_secret();
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[must_use]
pub struct Webhook {
    /// Generates a secret, sets one, removes it (null), or leaves it as it is (missing).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "null differs from a missing member")]
    secret: Option<Option<Secret>>,
}

impl Webhook {
    /// A new webhook takes unsigned calls; an existing one keeps its signing secret, if it has one.
    ///
    /// ```
    /// # use workflow_execution_service::Webhook;
    /// assert_eq!(Webhook::new(), Webhook::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls must be signed with a new secret, which is in [`Trigger::secret`] of the answer, and in no other.
    ///
    /// ```
    /// # use workflow_execution_service::Webhook;
    /// let webhook = Webhook::new().generate_secret();
    /// ```
    pub fn generate_secret(mut self) -> Self {
        self.secret = Some(Some(Secret("generate".into())));
        self
    }

    /// Calls must be signed with the secret that their sender made, such as `whsec_…`.
    ///
    /// ```
    /// # use workflow_execution_service::Webhook;
    /// let webhook = Webhook::new().secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    /// ```
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(Some(Secret(secret.into())));
        self
    }

    /// Calls need not be signed any more.
    ///
    /// ```
    /// # use workflow_execution_service::Webhook;
    /// let webhook = Webhook::new().remove_secret();
    /// ```
    pub fn remove_secret(mut self) -> Self {
        self.secret = Some(None);
        self
    }
}

/// The settings of a schedule.
///
/// ```
/// use serde_json::json;
/// use workflow_execution_service::Schedule;
///
/// let mornings = Schedule::new("0 9 * * *").timezone("Europe/Berlin").input(json!({ "for": "yesterday" }));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[must_use]
pub struct Schedule {
    cron: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    timezone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
}

impl Schedule {
    /// A cron expression with five fields, or six with seconds in front.
    ///
    /// ```
    /// # use workflow_execution_service::Schedule;
    /// let hourly = Schedule::new("0 * * * *");
    /// ```
    pub fn new(cron: impl Into<String>) -> Self {
        Self {
            cron: cron.into(),
            timezone: None,
            input: None,
        }
    }

    /// An IANA time zone. By default UTC.
    ///
    /// ```
    /// # use workflow_execution_service::Schedule;
    /// let mornings = Schedule::new("0 9 * * *").timezone("Europe/Berlin");
    /// ```
    pub fn timezone(mut self, timezone: impl Into<String>) -> Self {
        self.timezone = Some(timezone.into());
        self
    }

    /// The input of its Executions. By default none.
    ///
    /// ```
    /// # use workflow_execution_service::Schedule;
    /// let hourly = Schedule::new("0 * * * *").input("hourly");
    /// ```
    pub fn input(mut self, input: impl Into<Value>) -> Self {
        self.input = Some(input.into());
        self
    }
}
