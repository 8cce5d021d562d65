/**
 * F11, F12: agents that hang or rave, under a live daemon. The program is called `claude` and lies first
 * on the daemon's path; what it prints is read as that of the real one is.
 */

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost, previewLoop, type RecordedEvent, trustLoop } from 'loopwright'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { fuzzedOutput } from './agent-output-fuzz.ts'
import { type DaemonProcess, requireDaemon, withFolder } from './killed-daemon.ts'

interface Scene {
  readonly state: string
  readonly work: string
  readonly daemon: DaemonProcess
}

const runMsMax = 3_600_000

/** A daemon whose `claude` is this shell script. */
async function withAgent<T>(
  script: string,
  agent: string,
  limits: string,
  play: (scene: Scene, run: () => Promise<readonly RecordedEvent[]>) => Promise<T>,
): Promise<T> {
  return withFolder(async (base) => {
    const [state, work, bin] = ['state', 'work', 'bin'].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ]
    for (const folder of [state, work, bin]) mkdirSync(folder, { mode: 0o700 })
    const version = '[ "$1" = --version ] && echo 2.0.1 && exit'
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${version}\n${script}\n`)
    chmodSync(join(bin, 'claude'), 0o755)
    const file = join(base, 'loop.yaml')
    writeFileSync(
      file,
      `prompt: Go.\nagent: ${agent}\nchecks: { never: "false" }\nlimits: ${limits}\n`,
    )
    await trustLoop(await previewLoop(file, state), state)
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      ANTHROPIC_API_KEY: 'sk-ant-api03-proof-0123456789',
    }
    const daemon = await requireDaemon({ state, env })
    const run = async (): Promise<readonly RecordedEvent[]> => {
      const made = await daemon.ask('POST', '/runs', { file, workspace: work, attended: true })
      if (made.status !== 201) throw new Error(JSON.stringify(made.json))
      await ended(daemon, made.json.run.id as string)
      return eventsOf(state, made.json.run.id as string)
    }
    try {
      return await play({ state, work, daemon }, run)
    } finally {
      daemon.signal('SIGTERM')
      await Promise.race([daemon.ended, sleep(20_000, undefined, { ref: false })])
      daemon.signal('SIGKILL')
    }
  })
}

async function ended(daemon: DaemonProcess, run: string): Promise<void> {
  const began = Date.now()
  while (Date.now() - began < runMsMax) {
    const { json } = await daemon.ask('GET', `/runs/${run}`)
    if (json.queue === undefined) return
    await sleep(100)
  }
  throw new Error('The run does not end.')
}

async function eventsOf(folder: string, run: string): Promise<readonly RecordedEvent[]> {
  const host = await openHost({ folder })
  try {
    const events: RecordedEvent[] = []
    for await (const event of host.events(run, { follow: false })) events.push(event)
    return events
  } finally {
    await host.close()
  }
}

const idleMs = 4000
/** What a program has after its result. */
const lingerMs = 20_000
const begin = `'{"type":"system","subtype":"init","session_id":"1","model":"m","tools":[]}'`
const result = `'{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1}'`

interface Hang {
  /** Leaves a process of its own behind, by a number that no other has. */
  readonly script: (mark: number) => string
  readonly limitMs: number
}

const hangs: Readonly<Record<string, Hang>> = {
  'says nothing': { script: (mark) => `sleep ${mark}`, limitMs: idleMs },
  'hangs in its work': {
    script: (mark) => `echo ${begin}; sleep ${mark} & sleep ${mark}`,
    limitMs: idleMs,
  },
  'does not end after its result': {
    script: (mark) => `echo ${begin}; echo ${result}; sleep ${mark}`,
    limitMs: lingerMs,
  },
  'does not hear': {
    script: (mark) => `trap '' TERM INT HUP; while :; do sleep ${mark}; done`,
    limitMs: idleMs,
  },
}

export interface HangReport {
  readonly hangs: number
  /** How far from its limit each was ended, in milliseconds. */
  readonly offMs: readonly number[]
  readonly survivors: readonly string[]
}

export async function runHangs(options: Pick<SuiteOptions, 'note'>): Promise<HangReport> {
  const offMs: number[] = []
  const survivors: string[] = []
  for (const [what, { script, limitMs }] of Object.entries(hangs)) {
    const mark = 600_000 + Math.floor(Math.random() * 100_000)
    const agent = `{ program: claude, idle: ${idleMs / 1000}s }`
    await withAgent(script(mark), agent, '{ iterations: 1 }', async (_scene, run) => {
      const events = await run()
      survivors.push(...findSleepers(mark).map((pid) => `${what}: ${pid}`))
      const spanMs = agentSpanMs(events)
      options.note(`  ${what}: ended after ${spanMs} ms`)
      offMs.push(spanMs - limitMs)
    })
  }
  return { hangs: offMs.length, offMs, survivors }
}

/** Of the agent's step, from its start to its end. */
function agentSpanMs(events: readonly RecordedEvent[]): number {
  const of = (type: 'step-started' | 'end'): number | undefined =>
    events.find(
      ({ event }) =>
        (type === 'end'
          ? event.type === 'step-finished' || event.type === 'step-failed'
          : event.type === type) &&
        'step' in event &&
        event.step.startsWith('agent:'),
    )?.atMs
  return (of('end') ?? Number.POSITIVE_INFINITY) - (of('step-started') ?? 0)
}

function findSleepers(mark: number): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${mark}\0`
    } catch {
      return false
    }
  })
}

const offMsMax = 5000

const hanging: Suite = {
  area: 'daemon',
  title: 'F11: agents that hang are ended in time, with all that they started',
  async run(options) {
    const { hangs: count, offMs, survivors } = await runHangs(options)
    const worst = Math.max(...offMs.map(Math.abs))
    return [
      atLeast('daemon.hangs', count, Object.keys(hangs).length, 'kinds'),
      atMost('daemon.hangs-off-limit', worst, offMsMax, 'ms', 'kill and looking at files included'),
      atMost('daemon.hangs-survivors', survivors.length, 0, 'processes', survivors[0]),
    ]
  },
}

const outputsWanted = 500
const grownMegabytesMax = 200

export interface RavingReport {
  readonly outputs: number
  readonly iterations: number
  readonly isAlive: boolean
  readonly grownMegabytes: number
}

/** One spoilt output for each iteration. The hundred thousand are read in `agents.output-fuzz`. */
export async function runRaving({ scale }: Pick<SuiteOptions, 'scale'>): Promise<RavingReport> {
  const outputs = Math.max(3, Math.round(outputsWanted * scale))
  const script = 'n=$(ls cases | head -1); cat "cases/$n"; rm "cases/$n"; exit 0'
  const limits = `{ iterations: ${outputs}, sameErrors: ${outputs + 1} }`
  return withAgent(script, '{ program: claude }', limits, async ({ work, daemon }, run) => {
    mkdirSync(join(work, 'cases'))
    for (let number = 1; number <= outputs; number++) {
      const name = String(number).padStart(6, '0')
      const bytes = fuzzedOutput(number, { program: 'claude', isHuge: number % 250 === 3 })
      writeFileSync(join(work, 'cases', name), bytes)
    }
    const beforeKilobytes = peakKilobytes(daemon.pid)
    const events = await run()
    const iterations = events.filter(({ event }) => event.type === 'iteration-ended').length
    return {
      outputs,
      iterations,
      isAlive: daemon.isAlive,
      grownMegabytes: (peakKilobytes(daemon.pid) - beforeKilobytes) / 1024,
    }
  })
}

function peakKilobytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
}

const raving: Suite = {
  area: 'daemon',
  title: 'F12: whatever agents print, the daemon lives and stays small',
  share: 0.05,
  async run(options) {
    const { outputs, iterations, isAlive, grownMegabytes } = await runRaving(options)
    return [
      atLeast('daemon.raving-outputs', iterations, outputs, 'outputs'),
      atMost('daemon.raving-crashes', isAlive ? 0 : 1, 0, 'crashes'),
      atMost('daemon.raving-memory', grownMegabytes, grownMegabytesMax, 'MB'),
    ]
  },
}

export const agentFaults: readonly Suite[] = [hanging, raving]
