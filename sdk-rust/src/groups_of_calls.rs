/// One method for each group of calls, with the same names in both clients.
macro_rules! groups_of_calls {
    () => {
        /// The calls for projects.
        #[must_use]
        pub fn projects(&self) -> Projects<'_> {
            Projects { client: self }
        }

        /// The calls for Programs.
        #[must_use]
        pub fn programs(&self) -> Programs<'_> {
            Programs { client: self }
        }

        /// The calls for Executions.
        #[must_use]
        pub fn executions(&self) -> Executions<'_> {
            Executions { client: self }
        }

        /// The calls for the workspace's tokens. For hosted services only.
        #[must_use]
        pub fn tokens(&self) -> Tokens<'_> {
            Tokens { client: self }
        }

        /// The calls for Triggers. For hosted services only.
        #[must_use]
        pub fn triggers(&self) -> Triggers<'_> {
            Triggers { client: self }
        }

        /// The calls for the environment of a project's effects. For hosted services only.
        #[must_use]
        pub fn environment(&self) -> Environment<'_> {
            Environment { client: self }
        }

        /// The calls for prices and invoices. For hosted services only.
        #[must_use]
        pub fn billing(&self) -> Billing<'_> {
            Billing { client: self }
        }
    };
}

pub(crate) use groups_of_calls;
