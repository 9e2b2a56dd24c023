import { describe, expect, it } from 'vitest'
import type { Connection } from '../api/connection.ts'
import { questionOn } from './use-confirm.ts'

const QUESTION = { title: 'Cancel 3 Executions?', text: 'They end.', action: 'Cancel 3 Executions' }
const HOSTED: Connection = {
  id: 'acme',
  kind: 'hosted',
  name: 'Acme',
  basePath: '/hosted/acme',
  defaultProjectId: 'prj_1',
  colour: 'violet',
  isProduction: false,
  address: 'https://wes.test',
  workspace: 'acme-eu',
}

describe('a question before an action', () => {
  it('stays as it is on local', () => {
    expect(questionOn(QUESTION, { ...HOSTED, kind: 'local' })).toEqual(QUESTION)
  })

  it('names the connection and its workspace on hosted', () => {
    expect(questionOn(QUESTION, HOSTED)).toEqual({ ...QUESTION, text: 'They end. This is Acme, workspace acme-eu.' })
    expect(questionOn(QUESTION, { ...HOSTED, workspace: undefined }).text).toBe('They end. This is Acme.')
  })

  it('names the workspace alone on the page of a hosted service', () => {
    const own: Connection = { ...HOSTED, name: 'Hosted', address: undefined }
    expect(questionOn(QUESTION, own).text).toBe('They end. This is the workspace “acme-eu”.')
    expect(questionOn(QUESTION, { ...own, workspace: undefined })).toEqual(QUESTION)
  })

  it('asks for the name of a production connection', () => {
    const asked = questionOn(QUESTION, { ...HOSTED, isProduction: true })
    expect(asked).toEqual({
      ...QUESTION,
      text: 'They end. This is production: Acme, workspace acme-eu.',
      typed: 'Acme',
    })
  })
})
