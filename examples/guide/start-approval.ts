// #region client
import { createClient } from 'workflow-execution-service'

const client = createClient() // http://localhost:3477, or SERVICE_RUNTIME_URL; with a token, the hosted service
const execution = await client.start('approval', { requester: 'Ada', cents: 4200 })
await execution.send('approved', { by: 'Grace' })
console.log(await execution.result()) // { approved: true, by: 'Grace' }
// #endregion client
