use super::{Client, Items};
use crate::error::Result;
use crate::models::{BillingPlan, Invoice, List, Page};

/// The calls for prices and invoices. For hosted services only. From [`Client::billing`].
///
/// ```
/// use workflow_execution_service::blocking::Billing;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("https://wes.example").build_blocking()?;
/// let billing: Billing<'_> = client.billing();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Billing<'a> {
    pub(super) client: &'a Client,
}

impl Billing<'_> {
    /// The plan of the workspace: what is included, and what costs what beyond that.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.billing().plan()?.name);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn plan(self) -> Result<BillingPlan> {
        self.client.wait(self.client.client.billing().plan())
    }

    /// A page of the invoices of months that have ended, newest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} invoices", client.billing().invoices(None)?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn invoices(self, page: Option<Page>) -> Result<List<Invoice>> {
        self.client.wait(self.client.client.billing().invoices(page))
    }

    /// All invoices of months that have ended, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for invoice in client.billing().invoices_iter(None) {
    ///     println!("{}", invoice?.total);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn invoices_iter(self, page: Option<Page>) -> Items<Invoice> {
        self.client.items(self.client.client.billing().invoices_stream(page))
    }

    /// What this month costs so far.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.billing().upcoming_invoice()?.total);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn upcoming_invoice(self) -> Result<Invoice> {
        self.client.wait(self.client.client.billing().upcoming_invoice())
    }
}
