use serde::{Deserialize, Serialize};

use super::{UsageMetric, UsageTotal};

/// What usage costs.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let plan = client.billing().plan().await?;
/// println!("{} includes {} Executions", plan.name, plan.included.executions);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BillingPlan {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// ISO 4217. Amounts are whole minor units of it, such as cents.
    pub currency: String,
    /// What a month includes.
    pub included: UsageTotal,
    /// What costs what beyond that.
    pub prices: PlanPrices,
}

/// The price of each metric.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let turns = client.billing().plan().await?.prices.turns;
/// println!("{} turns cost {}", turns.per, turns.amount);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanPrices {
    /// Of Executions that were started.
    pub executions: Price,
    /// Of turns of Programs.
    pub turns: Price,
    /// Of attempts of effects that had an outcome.
    pub effect_attempts: Price,
    /// Of events that were received.
    pub events: Price,
    /// Of the milliseconds that turns and attempts ran.
    pub compute_ms: Price,
    /// Of the mean of the days' ends.
    pub stored_bytes: Price,
}

/// An amount for each so many, in proportion.
///
/// ```
/// use workflow_execution_service::Price;
///
/// let price: Price = serde_json::from_str(r#"{ "per": 1000, "amount": 25 }"#)?;
/// assert_eq!((price.per, price.amount), (1000, 25));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Price {
    /// For each so many.
    pub per: u64,
    /// In minor units of the plan's currency.
    pub amount: u64,
}

/// What a calendar month in UTC costs.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let invoice = client.billing().upcoming_invoice().await?;
/// println!("{} {} so far", invoice.total, invoice.currency);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Invoice {
    /// When the month begins.
    pub period_start: String,
    /// When the next one begins.
    pub period_end: String,
    /// ISO 4217. Amounts are whole minor units of it, such as cents.
    pub currency: String,
    /// One for each metric.
    pub lines: Vec<InvoiceLine>,
    /// The sum of the lines.
    pub total: u64,
}

/// What a metric costs.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for line in client.billing().upcoming_invoice().await?.lines {
///     println!("{}: {} of {}", line.metric, line.amount, line.billable);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InvoiceLine {
    /// What was measured.
    pub metric: UsageMetric,
    /// What was used.
    pub quantity: u64,
    /// What of it costs nothing.
    pub included: u64,
    /// What is above that.
    pub billable: u64,
    /// What that costs, rounded half up.
    pub amount: u64,
}
