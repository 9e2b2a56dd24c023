use serde::{Deserialize, Serialize};

use super::open_words::open_words;

/// Which days' usage to read, and how to group it.
///
/// ```
/// use workflow_execution_service::{UsageGrouping, UsageQuery};
///
/// let january = UsageQuery::new().from("2026-01-01").to("2026-01-31").group_by(UsageGrouping::Day);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct UsageQuery {
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) group_by: Vec<UsageGrouping>,
}

impl UsageQuery {
    /// This month so far, in one item.
    ///
    /// ```
    /// # use workflow_execution_service::UsageQuery;
    /// assert_eq!(UsageQuery::new(), UsageQuery::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The first day, in UTC. By default the first of the month of the last day.
    ///
    /// ```
    /// # use workflow_execution_service::UsageQuery;
    /// let query = UsageQuery::new().from("2026-01-01");
    /// ```
    pub fn from(mut self, day: impl Into<String>) -> Self {
        self.from = Some(day.into());
        self
    }

    /// The last day, in UTC. By default today. A query covers at most 366 days.
    ///
    /// ```
    /// # use workflow_execution_service::UsageQuery;
    /// let query = UsageQuery::new().to("2026-01-31");
    /// ```
    pub fn to(mut self, day: impl Into<String>) -> Self {
        self.to = Some(day.into());
        self
    }

    /// An item for each day, project or Program. May be repeated.
    ///
    /// ```
    /// # use workflow_execution_service::{UsageGrouping, UsageQuery};
    /// let query = UsageQuery::new().group_by(UsageGrouping::Day).group_by(UsageGrouping::Program);
    /// ```
    pub fn group_by(mut self, grouping: UsageGrouping) -> Self {
        self.group_by.push(grouping);
        self
    }
}

open_words! {
    /// How usage is grouped.
    ///
    /// ```
    /// use workflow_execution_service::UsageGrouping;
    ///
    /// assert_eq!(UsageGrouping::Day.as_str(), "day");
    /// ```
    pub enum UsageGrouping {
        /// By UTC day.
        Day = "day",
        /// By project.
        Project = "project",
        /// By Program.
        Program = "program",
    }
}

/// What a workspace used.
///
/// ```no_run
/// use workflow_execution_service::{UsageGrouping, UsageQuery};
///
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let usage = client.usage(UsageQuery::new().group_by(UsageGrouping::Day)).await?;
/// for item in usage.items {
///     println!("{:?}: {} Executions", item.day, item.used.executions);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// The first day, in UTC.
    pub from: String,
    /// The last day, in UTC.
    pub to: String,
    /// One for each group.
    pub items: Vec<UsageItem>,
    /// Of all days together.
    pub total: UsageTotal,
}

/// What a group of [`Usage`] used.
///
/// ```no_run
/// use workflow_execution_service::{UsageGrouping, UsageQuery};
///
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let usage = client.usage(UsageQuery::new().group_by(UsageGrouping::Program)).await?;
/// let busiest = usage.items.into_iter().max_by_key(|item| item.used.executions);
/// println!("{:?}", busiest.and_then(|item| item.program_id));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageItem {
    /// The day, when grouped by day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// The project, when grouped by project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    /// The Program, when grouped by Program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_id: Option<String>,
    /// The amounts, which are members of the item itself in the JSON.
    #[serde(flatten)]
    pub used: UsageTotal,
}

/// An amount of each metric.
///
/// ```no_run
/// use workflow_execution_service::UsageQuery;
///
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let total = client.usage(UsageQuery::new()).await?.total;
/// println!("{} Executions, {} turns", total.executions, total.turns);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageTotal {
    /// Executions that were started.
    pub executions: u64,
    /// Turns of Programs.
    pub turns: u64,
    /// Attempts of effects that had an outcome.
    pub effect_attempts: u64,
    /// Events that were received.
    pub events: u64,
    /// How long turns and attempts ran.
    pub compute_ms: u64,
    /// At the end of the day; over several days, the mean of the days' ends.
    pub stored_bytes: u64,
}

open_words! {
    /// What is measured and has a price.
    ///
    /// ```
    /// use workflow_execution_service::UsageMetric;
    ///
    /// assert_eq!(UsageMetric::from("computeMs"), UsageMetric::ComputeMs);
    /// ```
    pub enum UsageMetric {
        /// Executions that were started.
        Executions = "executions",
        /// Turns of Programs.
        Turns = "turns",
        /// Attempts of effects that had an outcome.
        EffectAttempts = "effectAttempts",
        /// Events that were received.
        Events = "events",
        /// How long turns and attempts ran.
        ComputeMs = "computeMs",
        /// The mean of the days' ends.
        StoredBytes = "storedBytes",
    }
}
