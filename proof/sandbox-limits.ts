/**
 * What a hostile command can use, beside what it may: each quantity is taken from the machine, not from
 * the sandbox's word, and must stay within the limit and a tenth. And what is alive afterwards: nothing,
 * also when the process that held it was killed.
 */

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, atMost, type Result, type Suite, type SuiteOptions } from '../bench/report.ts'
import { inTime } from './in-time.ts'
import {
  identities,
  type Job,
  type JobCommand,
  type JobPlace,
  type JobReport,
  makeJobPlace,
  taggedProcesses,
} from './sandbox-job.ts'

const mebibyte = 1024 ** 2
const hangMs = 120_000
/** For the kernel to be done with what was killed. */
const goneMs = 2000

/** One quantity: what is started, and what is read of it. */
interface Quantity {
  readonly name: string
  readonly unit: string
  readonly limit: number
  readonly limits: Readonly<Record<string, number>>
  readonly command: JobCommand
  used(job: Job, seen: Seen): number | Promise<number>
}

/** The most that was seen while it ran. */
interface Seen {
  readonly processes: number
  readonly residentBytes: number
}

const shell = (script: string, timeoutMs = 60_000): JobCommand => ({
  program: 'bash',
  args: ['-c', script],
  timeoutMs,
})

const bomb = 'bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done'
const allocate =
  'const all = []; for (let i = 0; i < 512; i++) all.push(Buffer.alloc(4 << 20, 1)); console.log("all")'
/** Processes of every kind that gets away from a plain kill. */
const tree = `deaf='trap "" TERM HUP INT; while :; do sleep 1; done'
  setsid sh -c "$deaf" > /dev/null 2>&1 &
  nohup sh -c "$deaf" > /dev/null 2>&1 &
  (setsid sh -c "($deaf) &" > /dev/null 2>&1 &)
  env -i PATH="$PATH" TAG="$TAG" setsid -f sh -c "$deaf" > /dev/null 2>&1
  echo x > started; sh -c "$deaf"`

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0)

const firstResult = async ({
  done,
}: Job): Promise<NonNullable<Awaited<Job['done']>['results'][0]>> => {
  const [result] = (await done).results
  if (result === undefined) throw new Error('there is no result')
  return result
}

function quantities(scale: number): readonly Quantity[] {
  const workspaceBytes = (scale < 1 ? 256 : 1024) * mebibyte
  return [
    {
      name: 'fork-bomb-processes',
      unit: 'processes',
      limit: 64,
      limits: { processes: 64 },
      command: shell(bomb, 3000),
      used: (_job, { processes }) => processes,
    },
    {
      name: 'allocation-bytes',
      unit: 'bytes',
      limit: 512 * mebibyte,
      limits: { memoryBytes: 512 * mebibyte },
      command: { program: 'node', args: ['-e', allocate], timeoutMs: 60_000 },
      used: (_job, { residentBytes }) => residentBytes,
    },
    {
      name: 'file-bytes',
      unit: 'bytes',
      limit: 100 * mebibyte,
      limits: { fileBytes: 100 * mebibyte },
      command: shell('head -c 10G /dev/zero > big'),
      used: ({ workspace }) => lstatSync(join(workspace, 'big')).size,
    },
    {
      name: 'disk-bytes',
      unit: 'bytes',
      limit: workspaceBytes,
      limits: { workspaceBytes },
      command: shell('for i in $(seq 100000); do head -c 4M /dev/zero > file-$i; done'),
      used: ({ workspace }) => bytesIn(workspace),
    },
    {
      name: 'output-bytes',
      unit: 'bytes',
      limit: 64 * mebibyte,
      limits: { outputBytes: 64 * mebibyte },
      command: shell('yes'),
      used: async (job) => (await firstResult(job)).outputBytes,
    },
    {
      name: 'memory-files-bytes',
      unit: 'bytes',
      limit: 64 * mebibyte,
      limits: { tmpBytes: 64 * mebibyte },
      command: shell('head -c 10G /dev/zero > /tmp/big; stat -c %s /tmp/big'),
      used: async (job) => Number((await firstResult(job)).stdout),
    },
    {
      name: 'processor-seconds',
      unit: 's',
      limit: 2,
      limits: { cpuSeconds: 2 },
      command: shell('bash -c "while :; do :; done"; times'),
      used: async (job) => secondsIn((await firstResult(job)).stdout.split('\n')[1] ?? ''),
    },
    {
      name: 'time-limit-ms',
      unit: 'ms',
      limit: 5000,
      limits: {},
      command: shell(tree, 5000),
      used: async (job) => (await firstResult(job)).durationMs,
    },
  ]
}

/** `0m1.990s 0m0.004s`, as shells print it. */
function secondsIn(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)]
  if (parts.length !== 2) throw new Error(`no times in ${JSON.stringify(times)}`)
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  )
}

export const sandboxLimits: Suite = {
  area: 'sandbox',
  title: 'what hostile commands can use, and what is left of them',
  share: 0.1,
  async run(options) {
    const place = makeJobPlace()
    try {
      const { results, survivors } = await proveLimits(place, options)
      const killed = await killHolders(place, options)
      return [
        ...(await proveProbes(place)),
        ...results,
        atMost('sandbox.survivors', survivors, 0, 'processes', 'after each of the above'),
        atMost('sandbox.survivors-of-kill-9', killed.survivors, 0, 'processes', killed.detail),
      ]
    } finally {
      place.remove()
    }
  },
}

const selfTests = 5

async function proveProbes(place: JobPlace): Promise<readonly Result[]> {
  const results: Result[] = []
  const tookMs: number[] = []
  for (const identity of identities) {
    const reports: JobReport['report'][] = []
    for (let round = 0; round < selfTests; round++) {
      const job = place.start(identity, {}, [])
      reports.push((await inTime(job.done, hangMs, 'the self-test')).report)
    }
    const held = reports.map(({ probes }) => probes.filter(isAsExpected).length)
    const [first] = reports
    const detail = `${first?.tier}, ${first?.limits}`
    results.push(atLeast(`sandbox.probes-${identity}`, Math.min(...held), 26, 'probes', detail))
    tookMs.push(median(reports.map(({ durationMs }) => durationMs)))
  }
  const detail = identities.map((identity, index) => `${identity} ${tookMs[index]} ms`).join(', ')
  return [...results, atMost('sandbox.self-test-ms', Math.max(...tookMs), 500, 'ms', detail)]
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const isAsExpected = ({ expect, found }: { expect: string; found: string }): boolean =>
  expect === found

async function proveLimits(
  place: JobPlace,
  { scale, note }: Pick<SuiteOptions, 'scale' | 'note'>,
): Promise<{ readonly results: readonly Result[]; readonly survivors: number }> {
  const results: Result[] = []
  let survivors = 0
  for (const quantity of quantities(scale)) {
    const used: number[] = []
    for (const identity of identities) {
      const job = place.start(identity, quantity.limits, [quantity.command])
      const seen = await inTime(watch(job), hangMs, quantity.name)
      used.push(await quantity.used(job, seen))
      survivors += await aliveAfter(job, 0)
    }
    const each = identities.map((identity, index) => `${identity} ${used[index]}`).join(', ')
    const { name, limit, unit } = quantity
    const detail = `limit ${limit}: ${each}`
    const most = Number((1.1 * limit).toPrecision(6))
    results.push(atMost(`sandbox.${name}`, Math.max(...used), most, unit, detail))
    note(`  ${name}: ${detail}`)
  }
  return { results, survivors }
}

/** Looks until it has ended. */
async function watch(job: Job): Promise<Seen> {
  let hasEnded = false
  const end = job.done.finally(() => {
    hasEnded = true
  })
  let processes = 0
  let residentBytes = 0
  while (!hasEnded) {
    const pids = taggedProcesses(job.tag)
    processes = Math.max(processes, pids.length)
    residentBytes = Math.max(residentBytes, ...pids.map(peakOf))
    await Promise.race([end, sleep(5)])
  }
  return { processes, residentBytes }
}

/** The kernel keeps the most that it ever was. */
function peakOf(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return 1024 * Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0)
  } catch {
    return 0 // it has just ended
  }
}

async function aliveAfter({ tag }: Job, ms: number): Promise<number> {
  const began = performance.now()
  while (taggedProcesses(tag).length > 0 && performance.now() - began < ms) await sleep(10)
  return taggedProcesses(tag).length
}

/** A kill -9 of the process that runs them, while they do their worst. */
async function killHolders(
  place: JobPlace,
  { scale }: Pick<SuiteOptions, 'scale'>,
): Promise<{ readonly survivors: number; readonly detail: string }> {
  const rounds = Math.max(1, Math.round(10 * scale))
  let survivors = 0
  let kills = 0
  for (const identity of identities) {
    for (let round = 0; round < rounds; round++) {
      for (const script of [bomb, tree, 'yes > big', 'node -e "for (;;);" & setsid yes']) {
        const job = place.start(identity, { processes: 64 }, [shell(script)])
        await inTime(begun(job), hangMs, 'a command that is to be killed')
        await sleep(20 * round)
        job.child.kill('SIGKILL')
        kills++
        survivors += await aliveAfter(job, goneMs)
      }
    }
  }
  return { survivors, detail: `${kills} kills` }
}

async function begun({ tag }: Job): Promise<void> {
  while (taggedProcesses(tag).length < 2) await sleep(5)
}
