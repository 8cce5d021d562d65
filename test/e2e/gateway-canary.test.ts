// Some cases of the proof that keys do not leak, and that the proof would find one: text that is
// not secret is found in every place that is searched.

import { describe, expect, test } from 'vitest'
import { findCanaries, stories, tell } from '../../build/proof/canary.js'

const key = 'sk-canary/0123456789abcdef0123456789abcdef+='
const story = (name: string): (typeof stories)[number] => {
  const found = stories.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no story "${name}".`)
  return found
}

describe('a key that a provider echoes in every possible way', () => {
  test.each(['headers of an MCP server'])(
    'is nowhere but in its original place: %s',
    async (name) => {
      expect(await findCanaries(() => undefined, [story(name)])).toEqual([])
    },
    120_000,
  )

  test('would be found', async () => {
    const found = await tell(story('anthropic/claude-sonnet-4-5'), key, 'Your key is')
    const places = found.map((one) => one.split(':')[0] ?? '')
    for (const place of [
      /^loopctl --json run /,
      /^loopctl --json tail /,
      /^loopctl show story 1$/,
      /^loopctl --json show story 1 --exchange 1$/,
      /^state\/journal\.db/,
      /^state\/blobs\//,
    ]) {
      expect(places).toContainEqual(expect.stringMatching(place))
    }
  }, 120_000)
})
