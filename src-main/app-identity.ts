/** As in electron-builder.yml; Windows joins notifications to the app by it. */
export const APP_ID = 'dev.workflow-execution-service.app'
export const APP_NAME = 'Workflow Execution Service'
/** By this, Windows finds the program that a click on a notification is for. Electron registers it at the first notification. */
export const NOTIFICATION_CLASS = '{335F4814-0222-4AA8-9489-C36F290933C7}'

/** The argument that tries out a package; see lifecycle/smoke-test.ts. */
export const SMOKE_TEST = '--smoke-test'
