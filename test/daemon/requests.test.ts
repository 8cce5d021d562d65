// Random requests, generated from the OpenAPI document, to a separate daemon; and names that break
// programs. `npm run proof -- --only daemon` sends thousands; a failure names its seed.

import { describe, expect, test } from 'vitest'
import { askAnything } from '../../build/proof/api.js'
import { sendNames } from '../../build/proof/api-names.js'

describe('any request', () => {
  test('is answered as the document says, and never with an internal error', async () => {
    const { requests, accepted, failures } = await askAnything({ scale: 0.03, seed: 7 })
    expect(failures).toEqual([])
    expect(requests).toBeGreaterThanOrEqual(296)
    expect(accepted).toBeGreaterThan(requests / 10)
  })

  test('fails the test if an answer is not as the document says', async () => {
    const { failures } = await askAnything({
      scale: 0.008,
      seed: 7,
      sabotage: (answer) => ({ ...answer, text: answer.text.replace('{', '{"internals":1,') }),
    })
    expect(failures.length).toBeGreaterThan(10)
    expect(failures[0]).toContain('is not as its schema')
  })
})

describe('a name that breaks programs', () => {
  test('is never an option of git, wherever it is sent', async () => {
    const { names, calls, problems } = await sendNames({ scale: 0.02 })
    expect(problems).toEqual([])
    expect(names).toBeGreaterThanOrEqual(4)
    expect(calls).toBeGreaterThan(names)
  })
})
