use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use crate::address::{Address, AddressOptions, choose_address, shown};
use crate::billing::Billing;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::executions::Executions;
use crate::groups_of_calls::groups_of_calls;
use crate::json;
use crate::models::{Program, Secret, Usage, UsageQuery, WhoAmI, Workspace};
use crate::programs::Programs;
use crate::projects::Projects;
use crate::repeat_refused::MAX_RETRIES;
use crate::request_path::with_query;
use crate::tokens::Tokens;
use crate::transport::{Answer, Request, TURNS, Transport};
use crate::triggers::Triggers;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Servers close idle connections, so the client does not use old ones.
const IDLE_CONNECTION_LIMIT: Duration = Duration::from_secs(30);
const WORKSPACE: &str = "/v1/workspaces/current";
const USER_AGENT: &str = concat!("workflow-execution-service-rust/", env!("CARGO_PKG_VERSION"));

/// The API, with one method per route. Cheap to clone; clones share their connections.
///
/// Sends a request again that the service refused for the moment: see [`max_retries`](ClientBuilder::max_retries). When the
/// connection fails, only [`result`](crate::ExecutionHandle::result) goes on, which only reads, and the start of
/// [`run`](crate::Executions::run), whose idempotency key makes it start one Execution.
///
/// Thousands of calls may begin at once: their requests take turns.
///
/// ```no_run
/// use serde_json::json;
/// use workflow_execution_service::Client;
///
/// # async fn run() -> workflow_execution_service::Result<()> {
/// let client = Client::from_env()?;
/// let handle = client.executions().start("order-approval", json!({ "orderId": "4711" })).await?;
/// handle.send("approved", json!({ "by": "ada" })).await?;
/// println!("{}", handle.result().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    transport: Arc<Transport>,
}

impl Client {
    /// A client with the settings of the environment.
    ///
    /// With `SERVICE_TOKEN` it calls `SERVICE_API_BASE_URL`, or else the hosted service; without a token
    /// `SERVICE_RUNTIME_URL`, or else the local runtime at `http://127.0.0.1:3477`.
    ///
    /// ```no_run
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// let client = workflow_execution_service::Client::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_env() -> Result<Self> {
        Self::builder().build()
    }

    /// Builds a client. Settings that are not set come from the environment, as with [`from_env`](Self::from_env).
    ///
    /// ```
    /// use workflow_execution_service::Client;
    ///
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// let client = Client::builder().url("http://127.0.0.1:4000").project_id("billing").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// The token's workspace. For hosted services only; a local runtime refuses with `hosted_only`.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.whoami().await?.workspace.name);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn whoami(&self) -> Result<WhoAmI> {
        self.read(Request::get("/v1/whoami")).await
    }

    /// The whole workspace of the token. For hosted services only.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// println!("{:?}", client.workspace().await?.limits);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn workspace(&self) -> Result<Workspace> {
        self.read(Request::get(WORKSPACE)).await
    }

    /// Changes the workspace of the token. `body` is a [`WorkspaceChange`](crate::WorkspaceChange), or equivalent JSON. For
    /// hosted services only; needs the role `admin`.
    ///
    /// ```no_run
    /// use workflow_execution_service::WorkspaceChange;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// client.update_workspace(WorkspaceChange::new().name("Acme")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update_workspace<B: Serialize>(&self, body: B) -> Result<Workspace> {
        let body = json::to_bytes("workspace", &body)?;
        self.read(Request::patch(WORKSPACE, body)).await
    }

    /// What the workspace used. For hosted services only.
    ///
    /// ```no_run
    /// use workflow_execution_service::UsageQuery;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Executions this month", client.usage(UsageQuery::new()).await?.total.executions);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn usage(&self, query: UsageQuery) -> Result<Usage> {
        let UsageQuery { from, to, group_by } = query;
        let days = [("from", from), ("to", to)];
        let days = days.into_iter().filter_map(|(name, day)| Some((name, day?)));
        let groups = group_by.iter().map(|group| ("groupBy", group.to_string()));
        self.read(Request::get(with_query("/v1/usage", days.chain(groups))))
            .await
    }

    /// Stores a compiled Program as a new version, unless its content equals the latest one.
    ///
    /// The artifact is the JSON that `wes build` writes, or any value that serialises to it.
    ///
    /// ```no_run
    /// use serde_json::json;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let artifact: serde_json::Value = serde_json::from_slice(&std::fs::read("hello.program.json")?)?;
    /// let program = client.deploy(&artifact).await?;
    /// println!("{} is at version {}", program.id, program.latest_version.number);
    ///
    /// // A minimal artifact:
    /// let code = "({ run: async (ctx, input) => ({ hello: input.name }) })";
    /// client.deploy(json!({ "format": "wes.program/1", "id": "hello", "program": { "code": code } })).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn deploy<A: Serialize>(&self, artifact: A) -> Result<Program> {
        let body = json::to_bytes("artifact", &artifact)?;
        self.read(Request::post("/v1/programs/deploy", Some(body))).await
    }

    groups_of_calls!();

    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.transport.timeout
    }

    pub(crate) fn max_retries(&self) -> u32 {
        self.transport.max_retries
    }

    pub(crate) async fn read<T: DeserializeOwned>(&self, request: Request) -> Result<T> {
        self.transport.read(request).await
    }

    pub(crate) async fn exchange(&self, request: Request) -> Result<Answer> {
        self.transport.exchange(request).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address {
            base_url,
            authorization,
            project_id,
            ..
        } = &self.transport.address;
        formatter
            .debug_struct("Client")
            .field("base_url", base_url)
            .field("has_token", &authorization.is_some())
            .field("project_id", project_id)
            .field("timeout", &self.transport.timeout)
            .finish_non_exhaustive()
    }
}

type ReadEnvironment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Builds a [`Client`]. From [`Client::builder`].
///
/// ```
/// use std::time::Duration;
/// use workflow_execution_service::Client;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder()
///     .url("https://wes.example/api")
///     .token("wes_secret")
///     .project_id("billing")
///     .timeout(Duration::from_secs(3600))
///     .build()?;
/// assert!(!format!("{client:?}").contains("wes_secret"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct ClientBuilder {
    address: AddressOptions,
    timeout: Option<Duration>,
    max_retries: Option<u32>,
    http: Option<reqwest::Client>,
    read_environment: Option<ReadEnvironment>,
}

impl ClientBuilder {
    /// The service's address, which may have a path. By default from the environment, as with [`Client::from_env`].
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// let client = Client::builder().url("http://127.0.0.1:4000").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.address.url = Some(url.into());
        self
    }

    /// The bearer token. By default `SERVICE_TOKEN`; local runtimes usually need none.
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// let client = Client::builder().url("https://wes.example").token("wes_secret").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.address.token = Some(Secret(token.into()));
        self
    }

    /// The project of all calls. By default the workspace's default project.
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// let client = Client::builder().url("http://127.0.0.1:3477").project_id("billing").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn project_id(mut self, project_id: impl Into<String>) -> Self {
        self.address.project_id = Some(project_id.into());
        self
    }

    /// The time limit of each call, including its repeats, and a whole wait for a result. By default waits for results have
    /// no limit. Other calls time out after 75 seconds at most. Zero is not allowed.
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// use std::time::Duration;
    ///
    /// let client = Client::builder().url("http://127.0.0.1:3477").timeout(Duration::from_secs(60)).build()?;
    ///
    /// let error = Client::builder().timeout(Duration::ZERO).build().unwrap_err();
    /// assert_eq!(error.to_string(), "the timeout of requests must be more than 0");
    /// # Ok(())
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How often a request is sent again that the service refused for the moment. By default 4; 0 turns it off.
    ///
    /// After 429 `rate_limited` any request, because it has done nothing; after 408, 502, 503 and 504 those that read and
    /// those with an idempotency key. Waits for as long as `Retry-After` says, or half a second, and then longer each time,
    /// with random differences. If that is more than a minute, or does not fit into the time limit of the call, the call
    /// fails with the refusal at once. Connections that fail are not repeated.
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// let client = Client::builder().url("http://127.0.0.1:3477").max_retries(10).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = Some(max_retries);
        self
    }

    /// The HTTP client to use, for settings such as proxies and certificates. Like the default one, it should not follow
    /// redirects: the service sends none, so a redirect leads to another server.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use workflow_execution_service::Client;
    /// let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    /// let client = Client::builder().url("http://127.0.0.1:3477").http_client(http).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// A function that looks up variables, instead of the process's environment.
    ///
    /// ```
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// # use workflow_execution_service::Client;
    /// // This client has no token, whatever is in the environment.
    /// let client = Client::builder().url("http://127.0.0.1:3477").environment(|_| None).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn environment(mut self, read: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.read_environment = Some(Arc::new(read));
        self
    }

    /// Builds the client. Sends no request.
    ///
    /// ```
    /// # use workflow_execution_service::Client;
    /// let error = Client::builder().url("localhost").build().unwrap_err();
    /// assert_eq!(error.code(), "invalid_argument");
    /// ```
    pub fn build(self) -> Result<Client> {
        if self.timeout == Some(Duration::ZERO) {
            return Err(Error::invalid("the timeout of requests must be more than 0"));
        }
        let address = match &self.read_environment {
            Some(read) => choose_address(self.address, |name| read(name)),
            None => choose_address(self.address, read_process_environment),
        }?;
        let http = match self.http {
            Some(http) => http,
            None => default_http_client(&address)?,
        };
        Ok(Client {
            transport: Arc::new(Transport {
                http,
                address,
                timeout: self.timeout,
                max_retries: self.max_retries.unwrap_or(MAX_RETRIES),
                turns: Semaphore::new(TURNS),
            }),
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientBuilder")
            .field("url", &self.address.url.as_deref().map(shown))
            .field("token", &self.address.token)
            .field("project_id", &self.address.project_id)
            .field("timeout", &self.timeout)
            .field("max_retries", &self.max_retries)
            .finish_non_exhaustive()
    }
}

/// A variable that is not Unicode must not count as unset. The client refuses the text returned here.
fn read_process_environment(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn default_http_client(address: &Address) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .pool_idle_timeout(IDLE_CONNECTION_LIMIT)
        .user_agent(USER_AGENT);
    if address.is_loopback {
        builder = builder.no_proxy();
    }
    if !address.is_https {
        // Does not read the system's certificates, which a small container may not have.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::InvalidArgument {
        message: format!("cannot create an HTTP client: {error}"),
        source: Some(Box::new(error)),
    })
}
