use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

use super::open_words::open_words;

/// A deployed Program.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let program = client.programs().get("order-approval").await?;
/// println!("{} is at version {}", program.id, program.latest_version.number);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Program {
    /// Chosen by its author, unique in its project.
    pub id: String,
    /// The project it belongs to.
    #[serde(default)]
    pub project_id: String,
    /// The author's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The version that was stored last.
    #[serde(default)]
    pub latest_version: ProgramVersion,
    /// Whether the service can run any of its versions.
    #[serde(default)]
    pub runnable: bool,
    /// When its first version was stored.
    #[serde(default)]
    pub created_at: String,
    /// When its latest version was stored.
    #[serde(default)]
    pub updated_at: String,
}

/// One stored compiled artifact of a Program.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for version in client.programs().versions("order-approval", None).await? {
///     println!("{} {} {}", version.number, version.created_at, version.digest);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgramVersion {
    /// Its id.
    pub id: String,
    /// The Program's id.
    #[serde(default)]
    pub program_id: String,
    /// 1, 2, 3 … within the Program.
    #[serde(default)]
    pub number: u64,
    /// SHA-256 of the artifact's canonical JSON without `sdk`, in hex.
    #[serde(default)]
    pub digest: String,
    /// How it was stored.
    #[serde(default)]
    pub origin: VersionOrigin,
    /// Whether the artifact has an effect bundle.
    #[serde(default)]
    pub has_effects: bool,
    /// Whether the service can run it.
    #[serde(default)]
    pub runnable: bool,
    /// What the Program declares.
    #[serde(default)]
    pub manifest: ProgramManifest,
    /// When it was stored.
    #[serde(default)]
    pub created_at: String,
}

open_words! {
    /// How a version was stored.
    ///
    /// ```
    /// use workflow_execution_service::VersionOrigin;
    ///
    /// assert_eq!(VersionOrigin::from("upload"), VersionOrigin::Upload);
    /// ```
    pub enum VersionOrigin {
        /// It was uploaded.
        Upload = "upload",
        /// It comes from the source of a project.
        Source = "source",
    }
}

/// What a Program declares.
///
/// ```
/// use workflow_execution_service::ProgramManifest;
///
/// let manifest: ProgramManifest = serde_json::from_str(r#"{ "events": [{ "name": "approved" }], "owner": "billing" }"#)?;
/// assert_eq!(manifest.events[0].name, "approved");
/// assert_eq!(manifest.other["owner"], "billing");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ProgramManifest {
    /// JSON Schema of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// The events that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventDeclaration>,
    /// The effects that it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectDeclaration>,
    /// Members that this version of the client does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// An event that a Program waits for.
///
/// ```
/// use workflow_execution_service::EventDeclaration;
///
/// let event: EventDeclaration = serde_json::from_str(r#"{ "name": "approved", "payloadSchema": { "type": "object" } }"#)?;
/// assert_eq!(event.payload_schema.unwrap()["type"], "object");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventDeclaration {
    /// The event's name.
    pub name: String,
    /// JSON Schema of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_schema: Option<Value>,
    /// Members that this version of the client does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// An effect that a Program calls.
///
/// ```
/// use workflow_execution_service::EffectDeclaration;
///
/// let effect: EffectDeclaration =
///     serde_json::from_str(r#"{ "name": "chargeCard", "retry": { "maxAttempts": 8 }, "timeoutMs": 10000 }"#)?;
/// assert_eq!(effect.timeout_ms, Some(10_000));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EffectDeclaration {
    /// Its name.
    pub name: String,
    /// The retry policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Value>,
    /// The timeout of one attempt in milliseconds; `u64::MAX` stands for longer ones.
    #[serde(default, deserialize_with = "saturated", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Members that this version of the client does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// JSON's integers may be greater than every `u64`, and the service accepts them. One must not make whole lists unreadable.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "this cast gives the nearest integer"
)]
fn saturated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    Ok(number.and_then(|number| number.as_u64().or_else(|| number.as_f64().map(|number| number as u64))))
}
