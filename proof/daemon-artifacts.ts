/**
 * What people read of a run through the API, and what a run may never leave: a real daemon, an agent that
 * says all secrets that it can see, and a folder that somebody put traps into.
 *
 * S14: links, second names, pipes, devices. S15: a hundred ways to write a path that leads out. S17: secrets.
 */

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { atLeast, atMost, type Suite } from '../bench/report.ts'
import { occurrences, occurrencesIn } from './canary-search.ts'
import { waysOut } from './daemon-paths.ts'
import { type DaemonProcess, startProcess } from './daemon-process.ts'

export const daemonArtifacts: Suite = {
  area: 'daemon',
  title: 'S14, S15, S17: files of runs are read by nobody from outside, and hold no secrets',
  async run({ note }) {
    const { traps, sprung, paths, ledOut, secrets, found } = await proveArtifacts(note)
    for (const problem of [...sprung, ...ledOut, ...found]) note(`  ${problem}`)
    return [
      atMost('daemon.artifact-traps-sprung', sprung.length, 0, 'traps', `${traps} set`),
      atLeast('daemon.artifact-paths', paths, 100, 'encodings'),
      atMost('daemon.artifact-reads-outside', ledOut.length, 0, 'reads', `${paths} paths`),
      atMost('daemon.secrets-kept', found.length, 0, 'times', `${secrets} secrets, six ways each`),
    ]
  },
}

export interface ArtifactProof {
  readonly traps: number
  /** Those that were read. */
  readonly sprung: readonly string[]
  readonly paths: number
  /** Those that led out, or were answered as if they led anywhere. */
  readonly ledOut: readonly string[]
  readonly secrets: number
  readonly found: readonly string[]
}

export async function proveArtifacts(note: (line: string) => void): Promise<ArtifactProof> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-artifacts-'))
  const canaries = ['env', 'file', 'header', 'address', 'split', 'packed'].map(
    (where) => `${where}-${randomBytes(18).toString('hex')}`,
  )
  let daemon: DaemonProcess | undefined
  try {
    const place = makePlace(folder, canaries)
    const [given = ''] = canaries
    daemon = await startProcess(place.state, { env: { MY_TOKEN: given } })
    const { run, seen } = await runOnce(daemon, place)
    note(`  run ${run}`)
    const own = join(place.work, 'logs', 'loop', `run-${run}`)
    const found = canaries.flatMap((secret) => [
      ...seen.flatMap(([what, said]) => occurrences(what, said, secret)),
      ...occurrencesIn(place.state, secret),
      ...occurrencesIn(own, secret),
    ])
    const traps = setTraps(own, place.outside)
    const sprung = await springTraps(daemon, run, traps)
    const ways = waysOut(place.outside, run)
    const ledOut = await walkOut(daemon, ways)
    return {
      traps: traps.length,
      sprung,
      paths: ways.length,
      ledOut,
      secrets: canaries.length,
      found,
    }
  } finally {
    await daemon?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Place {
  readonly state: string
  readonly work: string
  readonly file: string
  /** Not to be read by anybody. */
  readonly outside: string
}

/** In the file that is outside of all folders of runs. */
const marker = 'read-outside-of-the-folder'

function makePlace(folder: string, [, ...secrets]: readonly string[]): Place {
  const work = join(folder, 'work')
  mkdirSync(work)
  const names = ['FILE_TOKEN', 'HEADER_KEY', 'DB_PASSWORD', 'SPLIT_SECRET', 'PACKED_TOKEN']
  const lines = names.map((name, index) => `${name}=${secrets[index] ?? ''}`)
  writeFileSync(join(work, '.env'), `${lines.join('\n')}\n`)
  writeFileSync(join(work, 'agent.mjs'), agentProgram)
  const file = join(folder, 'loop.yaml')
  writeFileSync(file, loopFile)
  const outside = join(work, 'outside.txt')
  writeFileSync(outside, marker)
  return { state: join(folder, 'state'), work, file, outside }
}

const loopFile = `
prompt: Say what you see.
agent: { command: [node, agent.mjs], env: [MY_TOKEN] }
checks: { again: 'test -f twice' }
limits: { iterations: 3 }
worktree: { use: false }
# Files of the work are kept as they are: a file of secrets is no part of it.
exclude: [.env]
`

/** The first time it breaks down with a secret on its lips. */
const agentProgram = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
const env = Object.fromEntries(readFileSync('.env', 'utf8').trim().split('\\n').map((line) => line.split('=')))
const all = [process.env.MY_TOKEN, ...Object.values(env)]
console.log('plain', process.env.MY_TOKEN, readFileSync('.env', 'utf8'))
console.log('Authorization: Bearer ' + env.HEADER_KEY)
console.log('https://me:' + env.DB_PASSWORD + '@db.test/x?key=' + encodeURIComponent(env.HEADER_KEY))
for (const letter of 'split: ' + env.SPLIT_SECRET + ' end\\n') {
  process.stdout.write(letter)
  await sleep(2)
}
for (const one of all) {
  for (const pad of ['', 'x', 'xy']) console.log('packed', Buffer.from(pad + one).toString('base64'))
  console.log(JSON.stringify({ one }), Buffer.from(one).toString('hex'))
}
if (!existsSync('once')) {
  writeFileSync('once', '')
  throw new Error('broke down over ' + all.join(' '))
}
writeFileSync('twice', '')
console.log('done with ' + all.join(' '))
`

type Seen = readonly [what: string, text: string]

async function runOnce(
  daemon: DaemonProcess,
  { file, work }: Place,
): Promise<{ readonly run: string; readonly seen: readonly Seen[] }> {
  const preview = JSON.parse(await post(daemon, '/loops/preview', { file })) as { digest: string }
  const created = await post(daemon, '/runs', {
    file,
    workspace: work,
    trust: preview.digest,
    attended: true,
    settings: { artifacts: { mode: 'workspace' } },
  })
  const run =
    (JSON.parse(created) as { id?: string; run?: { id: string } }).run?.id ?? idIn(created)
  const stream = ['events', 'output'] as const
  const streams = await Promise.all(
    stream.map(async (what): Promise<Seen> => {
      const answer = await ask(daemon, `/runs/${run}/${what}`, { accept: 'text/event-stream' })
      return [`stream of ${what}`, answer.body]
    }),
  )
  await filesOf(daemon, run)
  const looks = ['', '/steps', '/iterations', '/evidence', '/ledger', '/output', '/events', '/diff']
  const answers: Seen[] = []
  for (const look of looks) answers.push([look, (await ask(daemon, `/runs/${run}${look}`)).body])
  return { run, seen: [['created', created], ...streams, ...answers] }
}

const idIn = (body: string): string => (JSON.parse(body) as { id: string }).id

/** They are written a moment after the end. */
async function filesOf(daemon: DaemonProcess, run: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { body } = await ask(daemon, `/runs/${run}/artifacts`)
    if (body.includes('summary.json')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Run ${run} left no files.`)
}

/** Names in the run's folder, none of which is a plain file of it. */
function setTraps(own: string, outside: string): readonly string[] {
  const at = (name: string): string => join(own, name)
  const targets = [
    outside,
    '/proc/self/environ',
    '/proc/self/mem',
    '/dev/zero',
    '/dev/stdin',
    '/etc/passwd',
    '../../../outside.txt',
    '.',
  ]
  targets.forEach((target, index) => symlinkSync(target, at(`link-${index}.txt`)))
  symlinkSync(join(outside, '..'), at('way'))
  symlinkSync('/proc/self', at('self'))
  symlinkSync('/', at('root'))
  linkSync(outside, at('hard.txt'))
  execFileSync('mkfifo', [at('pipe.txt')])
  mkdirSync(at('folder.txt'))
  const inner = ['way/outside.txt', 'self/environ', 'root/etc/passwd', 'way', 'self', 'root']
  const linked = targets.map((_, index) => `link-${index}.txt`)
  return [...linked, ...inner, 'hard.txt', 'pipe.txt', 'folder.txt', '.folder.json']
}

async function springTraps(
  daemon: DaemonProcess,
  run: string,
  traps: readonly string[],
): Promise<readonly string[]> {
  const listed = (await ask(daemon, `/runs/${run}/artifacts`)).body
  const sprung: string[] = []
  for (const trap of traps) {
    const { status, body } = await ask(daemon, `/runs/${run}/artifacts/${trap}`)
    if (status !== 404 || body.includes(marker)) sprung.push(`${trap}: ${status}`)
    if (listed.includes(JSON.stringify(trap))) sprung.push(`${trap}: is listed`)
  }
  return sprung
}

async function walkOut(daemon: DaemonProcess, ways: readonly string[]): Promise<readonly string[]> {
  const ledOut: string[] = []
  for (const way of ways) {
    const { status, body } = await ask(daemon, way)
    const isOut = body.includes(marker) || body.includes('root:x:0') || body.includes(daemon.token)
    if (isOut || status < 400 || status >= 500) ledOut.push(`${way}: ${status}`)
  }
  return ledOut
}

interface Answer {
  readonly status: number
  readonly body: string
}

const timeoutMs = 60_000

/** The path goes as it is written: nothing of it is put right on the way. */
function ask(
  { port, token }: DaemonProcess,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onAnswer = (response: IncomingMessage): void => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    }
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        timeout: timeoutMs,
        headers: { authorization: `Bearer ${token}`, ...headers },
      },
      onAnswer,
    )
    asked.on('error', reject)
    asked.on('timeout', () => asked.destroy(new Error(`${path} was not answered.`)))
    asked.end()
  })
}

async function post(
  { address, token }: DaemonProcess,
  path: string,
  body: object,
): Promise<string> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const said = await response.text()
  if (response.ok) return said
  throw new Error(`POST ${path}: ${response.status} ${said}`)
}
