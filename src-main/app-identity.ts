/** As in electron-builder.yml; Windows joins notifications to the app by it. */
export const APP_ID = 'dev.workflow-execution-service.app'
export const APP_NAME = 'Workflow Execution Service'

/** The argument that tries out a package; see lifecycle/smoke-test.ts. */
export const SMOKE_TEST = '--smoke-test'
