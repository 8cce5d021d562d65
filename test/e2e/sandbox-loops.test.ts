/** The sandbox around what code loops, forks and concurrent runs start. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/model-server.ts'
import { behind, billOf, spentOf, withProgram } from './gateway-fixture.ts'
import { ctl, ctlWith, endOf, eventsOf, type Place, place, toolCalls } from './loop-fixture.ts'

const filesServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)

describe('a code loop', () => {
  test('has a sandbox around the agent and the checks that it names as data', async () => {
    const at = place('')
    const file = join(at.work, '../loop.ts')
    writeFileSync(join(at.work, '../beside.txt'), 'beside')
    const probe = 'cat ../beside.txt && exit 1; touch seen'
    writeFileSync(
      file,
      `
import { defineLoop } from 'loopwright'
export default defineLoop({
  workspace: 'work',
  worktree: false,
  prompt: 'Go.',
  checks: { outside: '! cat ../beside.txt', own: () => ({ status: 'met', output: '' }) },
  agent: { command: ['sh', '-c', ${JSON.stringify(`${probe}-by-agent`)}] },
  limits: { iterations: 1 },
})
`,
    )
    const ended = await ctl(at, '--json', 'run', file, '--trust')
    expect(ended.stderr).toBe('')
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(eventsOf(ended, 'run-started')[0]).toMatchObject({ sandbox: { tier: 'strong' } })
    expect(existsSync(join(at.work, 'seen-by-agent'))).toBe(true)
  })
})

describe('a fork into a folder that does not exist yet', () => {
  test('has its MCP servers there, as the original had', async () => {
    const at = place(`
prompt: Go.
mcp: { files: { command: [${process.execPath}, ${filesServer}, .] } }
checks: { never: 'false' }
agent:
  script: [[{ call: files__write_file, args: { path: a.txt, content: hello } }, { say: ok }]]
limits: { iterations: 1 }
`)
    await ctl(at, 'run', at.file, '--trust', '--name', 'story')
    const args = ['fork', 'story', '--name', 'again', '--iterations', '2']
    const ended = await ctl(at, '--json', ...args)
    expect(ended.stderr).toBe('')
    expect(toolCalls(ended)).toMatchObject([{ tool: 'files__write_file', ok: true }])
    expect(readFileSync(join(`${at.work}-fork-1`, 'a.txt'), 'utf8')).toBe('hello')
  })

  test('that is refused leaves no folder', async () => {
    const at = place(`
prompt: Go.
checks: { never: 'false' }
agent: { script: [[{ say: ok }]] }
limits: { iterations: 1 }
`)
    await ctl(at, 'run', at.file, '--trust', '--name', 'story')
    const text = readFileSync(at.file, 'utf8')
    writeFileSync(at.file, `${text}sandbox: { require: none }\n`)
    const refused = await ctl(at, 'fork', 'story', '--trust')
    expect(refused.code).toBe(69)
    expect(readdirSync(join(at.work, '..')).toSorted()).toEqual(['loop.yaml', 'state', 'work'])
  })
})

describe('concurrent runs', () => {
  test('share a state folder, but neither tokens nor keys, and each pays for itself', async () => {
    const answers = [1, 2, 3].map((share) => 100 * share)
    const servers = await Promise.all(
      answers.map((input) => startModelServer([{ text: 'Yes.', usage: { input, output: 1 } }])),
    )
    const makePlace = (): Place =>
      withProgram(`
const answers = []
for (let count = 0; count < 5; count++) answers.push((await ask('Who is there?')).status)
writeFileSync('done.txt', JSON.stringify({ key, answers }))
`)
    const first = makePlace()
    const places = [first, makePlace(), makePlace()]
    // All in one state folder.
    const at = (index: number): Place => ({ ...(places[index] ?? first), state: first.state })
    const ended = await Promise.all(
      servers.map((server, index) => {
        const { file } = at(index)
        // A run that starts after another has ended may get the same one.
        const args = ['--json', 'run', file, '--trust', '--again', '--name', `story-${index}`]
        return ctlWith(at(index), behind(server, `sk-key-of-run-${index}`), ...args)
      }),
    )
    const said = places.map(
      ({ work }) =>
        JSON.parse(readFileSync(join(work, 'done.txt'), 'utf8')) as {
          readonly key: string
          readonly answers: readonly number[]
        },
    )
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(said.map((one) => one.answers)).toEqual([0, 1, 2].map(() => [200, 200, 200, 200, 200]))
    expect(new Set(said.map((one) => one.key)).size).toBe(3)
    for (const [index, server] of servers.entries()) {
      const keys = server.requests.map(({ headers }) => headers['x-api-key'])
      expect(new Set(keys)).toEqual(new Set([`sk-key-of-run-${index}`]))
    }
    const spent = await Promise.all(
      servers.map((_server, index) => spentOf(first, `story-${index}`)),
    )
    expect(spent.map(({ tokens }) => tokens)).toEqual(servers.map(billOf))
    await Promise.all(servers.map((server) => server.close()))
  })
})
