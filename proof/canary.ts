/**
 * Keys that sing: each story has random ones in all places that keys may be in, and a provider that
 * repeats them wherever it can. Afterwards they are looked for in everything that loopctl printed and
 * left behind: the record, packed or not, the workspace, folders for temporary files.
 */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModelServer } from 'loopwright/testing'
import { atMost, type Suite } from '../bench/report.ts'
import { echo, startEchoServer } from './canary-echo.ts'
import { occurrences, occurrencesIn } from './canary-search.ts'

const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const canaries: Suite = {
  area: 'host',
  title: 'keys are nowhere but where they were put',
  async run({ note }) {
    const found = await findCanaries(note)
    for (const one of found) note(`  ${one}`)
    const detail = `${stories.length} stories`
    return [atMost('host.canary-occurrences', found.length, 0, 'times', detail)]
  },
}

export interface Story {
  readonly name: string
  /** The loop file, for a provider at this address. */
  loop(at: { readonly url: string; readonly mcp: string }, canary: string): string
  readonly env?: (at: { readonly url: string }, canary: string) => Readonly<Record<string, string>>
  /** The file of keys. */
  readonly keys?: (canary: string) => string
  /** After so many requests loopctl is killed, and the run resumed. */
  readonly killAt?: number
  /** The provider does not know it, so it cannot repeat it. */
  readonly isOwn?: boolean
  /** It is refused before a run exists. */
  readonly isRefused?: boolean
}

const checks = `
prompt: Go.
checks: { never: 'false' }
limits: { iterations: 2 }
`
const models = [
  'anthropic/claude-sonnet-4-5',
  'openai/gpt-5',
  'google/gemini-2.5-flash',
  'openai-compatible/local',
]
const agent = 'agent: { command: [node, agent.mjs], env: [ANTHROPIC_API_KEY, MY_TOKEN] }'
const inEnvironment: Story['env'] = ({ url }, canary) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: canary,
})

export const stories: readonly Story[] = [
  ...models.map(
    (model): Story => ({
      name: model,
      loop: ({ url }) =>
        `${checks}agent: { model: ${model}, baseUrl: '${url}', apiKeyEnv: SOME_KEY }`,
      env: (_at, canary) => ({ SOME_KEY: canary }),
    }),
  ),
  { name: 'a program, key in the environment', loop: () => checks + agent, env: inEnvironment },
  {
    name: 'a program, key in a file',
    loop: () => checks + agent,
    env: ({ url }) => ({ ANTHROPIC_BASE_URL: url }),
    keys: (canary) => `ANTHROPIC_API_KEY=${canary}\n`,
  },
  {
    name: 'a program with a secret of its own',
    loop: () => checks + agent,
    env: (at, canary) => ({ ANTHROPIC_BASE_URL: at.url, MY_TOKEN: canary }),
    isOwn: true,
  },
  {
    name: 'killed in the middle',
    loop: () => checks + agent,
    env: inEnvironment,
    killAt: 2,
  },
  {
    name: 'headers of an MCP server',
    loop: ({ url, mcp }) => `${checks}
mcp: { echo: { url: '${mcp}', headers: { authorization: 'Bearer \${MY_TOKEN}' } } }
agent: { model: openai-compatible/local, baseUrl: '${url}' }
`,
    env: (_at, canary) => ({ MY_TOKEN: canary }),
    isOwn: true,
  },
  {
    name: 'the last words of an MCP server',
    loop: () => `${checks}
mcp: { gone: { command: [sh, -c, 'echo "no, not $MY_TOKEN" >&2; exit 1'], env: [MY_TOKEN] } }
agent: { script: [[{ say: ok }]] }
`,
    env: (_at, canary) => ({ MY_TOKEN: canary }),
  },
  {
    name: 'an address with a key',
    loop: ({ url }, canary) =>
      `${checks}agent: { model: openai/gpt-5, baseUrl: '${url}?key=${canary}', apiKeyEnv: SOME_KEY }`,
    env: (_at, canary) => ({ SOME_KEY: canary }),
    isRefused: true,
  },
  {
    name: 'an address with a password, in the environment',
    loop: () => checks + agent,
    env: ({ url }, canary) => ({
      ANTHROPIC_BASE_URL: url.replace('//', `//me:${encodeURIComponent(canary)}@`),
      ANTHROPIC_API_KEY: canary,
    }),
  },
]

export async function findCanaries(
  note: (text: string) => void,
  told: readonly Story[] = stories,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const story of told) {
    note(`  ${story.name}`)
    const canary = `sk-canary/${randomBytes(18).toString('hex')}+=`
    found.push(...(await tell(story, canary, canary)).map((one) => `${story.name}: ${one}`))
  }
  return found
}

/** What is looked for is another thing where it is shown that it would be found. */
export async function tell(
  story: Story,
  canary: string,
  sought: string,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-canary-'))
  const known = story.isOwn === true ? 'nothing' : canary
  await using server = await startModelServer((request, number) => echo(known, request, number))
  await using mcp = await startEchoServer()
  try {
    const at = { url: server.url, mcp: mcp.url }
    for (const name of ['work', 'tmp', 'home/.config/loopwright']) {
      mkdirSync(join(folder, name), { recursive: true })
    }
    const keys = join(folder, 'home/.config/loopwright/keys')
    writeFileSync(keys, story.keys?.(canary) ?? '')
    chmodSync(keys, 0o600)
    writeFileSync(join(folder, 'work/agent.mjs'), program)
    writeFileSync(join(folder, 'loop.yaml'), `workspace: work\n${story.loop(at, canary)}`)
    const printed = await runAndLook(folder, story, story.env?.(at, canary) ?? {}, server.requests)
    const isOurs = (name: string): boolean =>
      name !== 'loop.yaml' && name !== 'home/.config/loopwright/keys'
    return [
      ...printed.flatMap(([what, text]) => occurrences(what, text, sought)),
      ...occurrencesIn(folder, sought, isOurs),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Printed = readonly [what: string, text: string]

async function runAndLook(
  folder: string,
  { killAt, isRefused = false }: Story,
  env: Readonly<Record<string, string>>,
  requests: readonly unknown[],
): Promise<readonly Printed[]> {
  const place = { folder, env }
  const isTime = (): boolean => killAt !== undefined && requests.length >= killAt
  const file = join(folder, 'loop.yaml')
  const run = await ctl(
    place,
    ['--json', 'run', file, '--trust', '--in-place', '--name', 'story'],
    isTime,
  )
  if (isRefused) return [run]
  const looks = [
    ...(killAt === undefined ? [] : [['--json', 'resume', 'story']]),
    ['run', file],
    ['--json', 'tail', 'story'],
    ['show', 'story', '1'],
    ['--json', 'show', 'story'],
    ['show', 'story', '1', '--exchange', '1'],
    ['--json', 'show', 'story', '1', '--exchange', '1'],
    ['inspect', 'story'],
    ['--json', 'export', 'story'],
    ['doctor'],
    ['list'],
  ]
  const printed: Printed[] = [run]
  for (const args of looks) printed.push(await ctl(place, args))
  return printed
}

function ctl(
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  args: readonly string[],
  isTimeToDie: () => boolean = () => false,
): Promise<Printed> {
  return new Promise((resolve) => {
    const options = {
      cwd: join(folder, 'tmp'),
      maxBuffer: 64e6,
      env: {
        ...env,
        PATH: process.env['PATH'] ?? '',
        HOME: join(folder, 'home'),
        TMPDIR: join(folder, 'tmp'),
        LOOPWRIGHT_STATE: join(folder, 'state'),
        LOOP_USE_DAEMON: '0',
        LOOPWRIGHT_DEBUG: '1',
      },
    }
    const command = [loopctl, ...args]
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) => {
      clearInterval(watch)
      resolve([`loopctl ${args.join(' ')}`, `${stdout}\n${stderr}`])
    })
    const watch = setInterval(() => isTimeToDie() && child.kill('SIGKILL'), 5)
  })
}

/** Says and keeps all that it sees. */
const program = `
import { appendFileSync } from 'node:fs'
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, MY_TOKEN: own } = process.env
const tell = (text) => { console.log(text); console.error(text); appendFileSync('seen.txt', text + '\\n') }
const tellOwn = (text) => { console.log(text); console.error(text) }
if (own !== undefined) tellOwn('mine is ' + own)
for (let number = 0; number < 8; number++) {
  const body = JSON.stringify({
    model: 'claude-sonnet-4-5', max_tokens: 200, stream: number % 2 === 1,
    messages: [{ role: 'user', content: 'question ' + number + (own ?? '') }],
  })
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  try {
    const answer = await fetch(url + '/v1/messages', { method: 'POST', headers, body })
    tell(answer.status + ' ' + JSON.stringify([...answer.headers]))
    for await (const chunk of answer.body) tell(Buffer.from(chunk).toString())
  } catch (error) {
    tell(String(error) + String(error.cause))
  }
}
process.exit(1)
`
