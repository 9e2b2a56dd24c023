import { expect, it, vi } from 'vitest'
import { deployFile } from './deploy-file.ts'

const client = { deployProgram: () => Promise.reject(new Error('is not asked')) }

it('reads only the beginning of a file that is no artifact, whatever its name and size', async () => {
  const file = new File(['\u0000\u0001', 'x'.repeat(17 * 1_024 * 1_024)], 'film.json')
  const slice = vi.spyOn(file, 'slice')
  expect(await deployFile(client, file)).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/^It is not an artifact/) as string,
  })
  expect(slice.mock.calls).toEqual([[0, 1_024]])
})
