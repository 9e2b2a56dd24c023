use crate::client::Client;
use crate::error::Result;
use crate::items::Items;
use crate::models::{BillingPlan, Invoice, List, Page};
use crate::request_path::with_page;
use crate::transport::Request;

/// The calls for prices and invoices. For hosted services only. From [`Client::billing`].
///
/// ```
/// use workflow_execution_service::{Billing, Client};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("https://wes.example").token("wes_secret").build()?;
/// let billing: Billing<'_> = client.billing();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Billing<'a> {
    pub(crate) client: &'a Client,
}

impl Billing<'_> {
    /// The plan of the workspace: what is included, and what costs what beyond that.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.billing().plan().await?.name);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn plan(self) -> Result<BillingPlan> {
        self.client.read(Request::get("/v1/billing/plan")).await
    }

    /// A page of the invoices of months that have ended, newest first.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for invoice in client.billing().invoices(None).await? {
    ///     println!("{}: {} {}", invoice.period_start, invoice.total, invoice.currency);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn invoices(self, page: Option<Page>) -> Result<List<Invoice>> {
        let path = with_page("/v1/billing/invoices", page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// All invoices of months that have ended, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut invoices = client.billing().invoices_stream(None);
    /// while let Some(invoice) = invoices.next().await.transpose()? {
    ///     println!("{}", invoice.total);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn invoices_stream(self, page: Option<Page>) -> Items<Invoice> {
        let client = self.client.clone();
        Items::new(page, move |page| {
            let client = client.clone();
            async move { client.billing().invoices(Some(page)).await }
        })
    }

    /// What this month costs so far.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let invoice = client.billing().upcoming_invoice().await?;
    /// println!("{} {}", invoice.total, invoice.currency);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn upcoming_invoice(self) -> Result<Invoice> {
        self.client.read(Request::get("/v1/billing/invoices/upcoming")).await
    }
}
