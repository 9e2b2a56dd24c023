use reqwest::header::{ETAG, HeaderValue, IF_MATCH};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::json;
use crate::models::{FiringReceipt, List, Trigger, TriggerList};
use crate::request_path::{path_of, with_segment};
use crate::transport::Request;

/// The calls for Triggers. For hosted services only. From [`Client::triggers`].
///
/// A project is named by its id; `default` is the workspace's default project.
///
/// ```
/// use workflow_execution_service::{Client, Triggers};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("https://wes.example").token("wes_secret").build()?;
/// let triggers: Triggers<'_> = client.triggers();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Triggers<'a> {
    pub(crate) client: &'a Client,
}

#[derive(Serialize)]
struct Replacement<'a, T: ?Sized> {
    triggers: &'a T,
}

#[derive(Serialize)]
struct Firing {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Box<RawValue>>,
}

impl Triggers<'_> {
    /// All Triggers of a project.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for trigger in client.triggers().list("default").await? {
    ///     println!("{} {} {}", trigger.id, trigger.kind, trigger.enabled);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self, project_id: &str) -> Result<TriggerList> {
        self.read_list(project_id, Request::get(list_path(project_id)?)).await
    }

    /// The Triggers of a Program in the client's project, in one page.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Triggers", client.triggers().of_program("order-approval").await?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn of_program(self, program_id: &str) -> Result<List<Trigger>> {
        let path = path_of("programs", program_id, "/triggers")?;
        self.client.read(Request::get(path)).await
    }

    /// Replaces all Triggers of a project, or none. A Trigger whose id is not in the new list is removed.
    ///
    /// The items are [`NewTrigger`](crate::NewTrigger)s, or equivalent JSON.
    ///
    /// ```no_run
    /// use workflow_execution_service::{NewTrigger, Webhook};
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let triggers = [NewTrigger::webhook("order-approval", Webhook::new())];
    /// for trigger in client.triggers().replace("default", &triggers).await? {
    ///     println!("{:?}", trigger.url);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn replace<T: Serialize>(self, project_id: &str, triggers: &[T]) -> Result<TriggerList> {
        let request = replacement(project_id, triggers)?;
        self.read_list(project_id, request).await
    }

    /// Like [`replace`](Self::replace), unless the list was replaced since it had this [`etag`](TriggerList::etag). Then it
    /// fails with `precondition_failed`.
    ///
    /// ```no_run
    /// use workflow_execution_service::NewTrigger;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let now = client.triggers().list("default").await?;
    /// let disabled = now.items.iter().map(|trigger| Ok(NewTrigger::keeping(trigger)?.enabled(false)));
    /// let disabled = disabled.collect::<workflow_execution_service::Result<Vec<_>>>()?;
    /// client.triggers().replace_if_match("default", &disabled, &now.etag.unwrap_or_default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn replace_if_match<T: Serialize>(
        self,
        project_id: &str,
        triggers: &[T],
        etag: &str,
    ) -> Result<TriggerList> {
        let value = HeaderValue::from_str(etag).ok().filter(|_| !etag.trim().is_empty());
        let value = value.ok_or_else(|| Error::invalid(format!("invalid ETag: {etag:?}")))?;
        let mut request = replacement(project_id, triggers)?;
        request.headers.insert(IF_MATCH, value);
        self.read_list(project_id, request).await
    }

    /// Fires a Trigger by hand, also one that is not enabled. The input replaces the Trigger's own; `()` does not.
    ///
    /// ```no_run
    /// use serde_json::json;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let trigger = "trg_01jcx3b8e0e0t9qv2m5k7w4z6n";
    /// let receipt = client.triggers().fire("default", trigger, json!({ "orderId": "4711" })).await?;
    /// println!("{}", receipt.execution_id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fire<I: Serialize>(self, project_id: &str, id: &str, input: I) -> Result<FiringReceipt> {
        let firing = Firing {
            input: json::to_text("input", &input)?,
        };
        let path = with_segment(&list_path(project_id)?, id, "/fire")?;
        let request = Request::post(path, Some(json::to_bytes("input", &firing)?));
        self.client.read(request.in_project(project_id)?).await
    }

    async fn read_list(self, project_id: &str, request: Request) -> Result<TriggerList> {
        let answer = self.client.exchange(request.in_project(project_id)?).await?;
        let etag = answer.headers.get(ETAG).and_then(|etag| etag.to_str().ok());
        Ok(TriggerList::new(answer.read()?, etag.map(str::to_owned)))
    }
}

fn list_path(project_id: &str) -> Result<String> {
    path_of("projects", project_id, "/triggers")
}

fn replacement<T: Serialize>(project_id: &str, triggers: &[T]) -> Result<Request> {
    let body = json::to_bytes("Triggers", &Replacement { triggers })?;
    Ok(Request::put(list_path(project_id)?, body))
}
