/**
 * Kills loopctl with SIGKILL while its agent talks to a model from behind the walls, at moments of
 * chance, and resumes the run. Nothing of the dead one may go on or stay, and whatever the provider has
 * billed is in the ledger.
 */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ModelServer, startModelServer } from 'loopwright/testing'
import { atLeast, atMost, type Suite } from '../bench/report.ts'

const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const agentKills: Suite = {
  area: 'host',
  title: 'kill -9 while an agent talks to its model',
  share: 0.2,
  async run({ scale, note }) {
    const wanted = Math.max(3, Math.round(24 * scale))
    const { kills, problems } = await killAgents(wanted, note)
    for (const problem of problems) note(`  ${problem}`)
    return [
      atLeast('host.agent-kills', kills, wanted, 'kills'),
      atMost('host.agent-kills-problems', problems.length, 0, 'problems'),
    ]
  },
}

export interface AgentKills {
  readonly kills: number
  readonly problems: readonly string[]
}

export async function killAgents(
  wanted: number,
  note: (text: string) => void,
): Promise<AgentKills> {
  const problems: string[] = []
  let kills = 0
  // Each run is killed at most thrice, so that it comes to an end; a fast one may end before it is killed.
  for (let run = 1; kills < wanted && run <= 10 * wanted; run++) {
    const story = await killOne(Math.min(3, wanted - kills))
    kills += story.kills
    problems.push(...story.problems.map((problem) => `run ${run}: ${problem}`))
    if (run % 4 === 0) note(`  ${kills} kills`)
  }
  return { kills, problems }
}

const questions = 5
const endedExitCode = 73

async function killOne(killsMax: number): Promise<AgentKills> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-kills-'))
  // Long enough to be hit in the middle.
  await using server = await startModelServer([
    { text: 'Go on, please.', pieces: 3, fault: { does: 'drip', everyMs: 0 } },
  ])
  try {
    return await killUntilDone(folder, server, killsMax)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function killUntilDone(
  folder: string,
  server: ModelServer,
  killsMax: number,
): Promise<AgentKills> {
  prepare(folder)
  const problems: string[] = []
  let kills = 0
  let args: readonly string[] = [
    'run',
    join(folder, 'loop.yaml'),
    '--trust',
    '--in-place',
    '--name',
    'story',
  ]
  for (;;) {
    // From its first request on, up to about the time that all of them take.
    const after =
      kills < killsMax ? { requests: server.requests.length + 1, waitMs: 600 } : undefined
    const ended = await ctl(folder, server, args, after)
    if (!ended.killed) {
      // It was killed after its end: there is nothing to resume, and nobody has cleaned up yet.
      if (ended.code === endedExitCode) return { kills, problems }
      if (ended.code !== 0) problems.push(`${args[0]}: ${ended.code} ${ended.stderr.trim()}`)
      break
    }
    kills++
    const alive = await survivors(folder)
    if (alive.length > 0) problems.push(`processes go on: ${alive.join(' ')}`)
    args = ['resume', 'story']
  }
  const spent = JSON.parse((await ctl(folder, server, ['--json', 'inspect', 'story'])).stdout) as {
    state: { spent: { tokens: number } }
  }
  const billed = server.bills.reduce((sum, { input, output }) => sum + input + output, 0)
  if (spent.state.spent.tokens < billed) {
    problems.push(`${billed} tokens were billed, ${spent.state.spent.tokens} are in the ledger`)
  }
  const left = readdirSync(join(folder, 'tmp'))
  if (left.length > 0) problems.push(`left behind: ${left.join(' ')}`)
  return { kills, problems }
}

function prepare(folder: string): void {
  for (const name of ['work', 'tmp', 'home']) mkdirSync(join(folder, name))
  writeFileSync(
    join(folder, 'loop.yaml'),
    `
workspace: work
prompt: Go.
checks: { whole: 'test "$(wc -l < log.txt)" -eq ${questions}' }
agent: { command: [node, agent.mjs, '${folder}'] }
limits: { iterations: 2, tokens: 100000 }
`,
  )
  writeFileSync(
    join(folder, 'work/agent.mjs'),
    `
import { appendFileSync } from 'node:fs'
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env
for (let number = 1; number <= ${questions}; number++) {
  const answer = await fetch(url + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5', max_tokens: 100, stream: true,
      messages: [{ role: 'user', content: 'line ' + number }],
    }),
  })
  if (!(await answer.text()).includes('message_stop')) process.exit(1)
  appendFileSync('log.txt', number + '\\n')
}
`,
  )
}

/** Processes that name the folder, once those that are dying are dead. */
async function survivors(folder: string): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const alive = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && names(pid, folder))
    if (alive.length === 0 || tries === 200) return alive
    await sleep(25)
  }
}

function names(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder)
  } catch {
    return false
  }
}

interface Ended {
  readonly killed: boolean
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface After {
  readonly requests: number
  readonly waitMs: number
}

/** Killed some time after so many requests have come. */
function ctl(
  folder: string,
  server: ModelServer,
  args: readonly string[],
  after?: After,
): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    LOOPWRIGHT_STATE: join(folder, 'state'),
    LOOP_USE_DAEMON: '0',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-proof-0123456789abcdef',
  }
  return new Promise((resolve) => {
    const options = { env, maxBuffer: 64e6 }
    const child = execFile(
      process.execPath,
      [loopctl, ...args],
      options,
      (error, stdout, stderr) => {
        clearInterval(watch)
        const killed = child.signalCode === 'SIGKILL'
        resolve({ killed, code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
    let diesAtMs: number | undefined
    const watch = setInterval(() => {
      if (after === undefined) return
      if (server.requests.length >= after.requests)
        diesAtMs ??= performance.now() + Math.random() * after.waitMs
      if (diesAtMs !== undefined && performance.now() >= diesAtMs) child.kill('SIGKILL')
    }, 2)
  })
}
