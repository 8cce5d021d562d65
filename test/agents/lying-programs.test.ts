// Agent programs as recorded: honest ones, and every lie and hang that was observed. No failure
// counts as a success, each end has its name, and no process is left (the fixture checks each
// time).

import { describe, expect, test } from 'vitest'
import type { ProgramName } from '../../src/agents/index.ts'
import type { AgentEnd } from '../../src/loop/index.ts'
import { type FakeWork, type Where, workAs } from './program-fixture.ts'

type Ends = Readonly<Record<string, AgentEnd>>

const claude: Ends = {
  done: 'claimed',
  noisy: 'claimed',
  refused: 'refused',
  '401': 'provider',
  '429': 'provider',
  '500': 'provider',
  '529': 'provider',
  'too-long': 'provider',
  cut: 'provider',
  garbage: 'provider',
  'cut-off': 'provider',
  'model-refused': 'provider',
  'max-turns': 'limit',
  budget: 'limit',
  'interrupted-tools': 'interrupted',
  'interrupted-stream': 'interrupted',
  terminated: 'interrupted',
  'own-command': 'no-result',
  background: 'claimed',
  'error-exit-0': 'provider',
  'done-exit-1': 'crashed',
  'done-killed': 'interrupted',
  'no-result': 'no-result',
  'result-cut': 'no-result',
  'goes-on': 'no-result',
  nothing: 'no-result',
  'not-started': 'crashed',
}

const codex: Ends = {
  done: 'claimed',
  noisy: 'claimed',
  patch: 'claimed',
  'failed-tool': 'claimed',
  warned: 'claimed',
  'sandbox-refused': 'refused',
  declined: 'refused',
  '401': 'provider',
  '500': 'provider',
  'too-long': 'provider',
  cut: 'provider',
  garbage: 'provider',
  'cut-off': 'provider',
  'model-refused': 'provider',
  interrupted: 'crashed',
  terminated: 'interrupted',
  'error-exit-0': 'provider',
  'done-exit-1': 'crashed',
  'done-killed': 'interrupted',
  'no-result': 'no-result',
  'result-cut': 'no-result',
  'goes-on': 'no-result',
  nothing: 'no-result',
  'not-started': 'crashed',
}

const opencode: Ends = {
  done: 'claimed',
  noisy: 'claimed',
  'failed-tool': 'claimed',
  '400': 'provider',
  '401': 'provider',
  'too-long': 'provider',
  'cut-off': 'provider',
  'model-refused': 'provider',
  'ended-by-error': 'provider',
  'ended-by-new-reason': 'provider',
  wordless: 'no-result',
  refused: 'refused',
  denied: 'refused',
  'asked-nobody': 'refused',
  terminated: 'interrupted',
  'error-exit-0': 'provider',
  'done-exit-1': 'crashed',
  'done-killed': 'interrupted',
  'no-result': 'no-result',
  'result-cut': 'no-result',
  'goes-on': 'no-result',
  nothing: 'no-result',
  'not-started': 'crashed',
}

const gemini: Ends = {
  done: 'claimed',
  noisy: 'claimed',
  'failed-tool': 'claimed',
  '401': 'provider',
  '500': 'provider',
  empty: 'provider',
  wordless: 'no-result',
  'no-login': 'provider',
  'status-alone': 'provider',
  'max-turns': 'limit',
  circles: 'crashed',
  blocked: 'refused',
  refused: 'refused',
  stopped: 'refused',
  'not-trusted': 'crashed',
  'no-prompt': 'crashed',
  terminated: 'interrupted',
  'error-exit-0': 'provider',
  'done-exit-1': 'crashed',
  'done-killed': 'interrupted',
  'no-result': 'no-result',
  'result-cut': 'no-result',
  'goes-on': 'no-result',
  nothing: 'no-result',
  'not-started': 'crashed',
}

const hanging: Ends = {
  'silent-at-once': 'idle',
  lingers: 'lingered',
  'lingers-failed': 'provider',
}

const programs: readonly (readonly [ProgramName, Ends, Ends])[] = [
  [
    'claude',
    claude,
    { ...hanging, silent: 'idle', 'background-hangs': 'idle', 'lingers-refused': 'refused' },
  ],
  ['codex', codex, { ...hanging, silent: 'idle' }],
  ['opencode', opencode, { ...hanging, retrying: 'idle' }],
  ['gemini', gemini, { ...hanging, silent: 'idle', retrying: 'idle' }],
]

const places: readonly Where[] = ['plain', 'sandboxed']
const cases = programs.flatMap(([name, ends, hangs]) =>
  places.map((where) => ({ name, where, ends, hangs })),
)

const statusOf = (end: AgentEnd): string =>
  ({ claimed: 'done', lingered: 'done-with-concerns' })[end as string] ?? 'failed'

/** All modes, several at once: most of the time they wait. */
async function workAll(
  name: ProgramName,
  modes: readonly string[],
  where: Where,
): Promise<ReadonlyMap<string, FakeWork>> {
  const left = [...modes]
  const works = new Map<string, FakeWork>()
  const next = async (): Promise<void> => {
    const mode = left.pop()
    if (mode === undefined) return
    works.set(mode, await workAs(name, mode, where))
    return next()
  }
  await Promise.all(Array.from({ length: 6 }, next))
  return works
}

const endsOf = (works: ReadonlyMap<string, FakeWork>): Ends =>
  Object.fromEntries([...works].map(([mode, { report }]) => [mode, report.ended ?? 'crashed']))

function expectHonest(works: ReadonlyMap<string, FakeWork>): void {
  for (const [mode, { report }] of works) {
    const { ended = 'crashed', status, text } = report
    expect([mode, status]).toEqual([mode, statusOf(ended)])
    expect([mode, text]).not.toEqual([mode, ''])
  }
}

describe.each(cases)('$name, $where', ({ name, where, ends, hangs }) => {
  test('every lie is detected, and only honest work is done', async () => {
    const works = await workAll(name, Object.keys(ends), where)
    expect(endsOf(works)).toEqual(ends)
    expectHonest(works)
  })

  test('each hang is ended, with a child that ignores signals', async () => {
    const works = await workAll(name, Object.keys(hangs), where)
    expect(endsOf(works)).toEqual(hangs)
    expectHonest(works)
    for (const { processes } of works.values()) expect(processes).toBeGreaterThanOrEqual(2)
  })
})

test('a hanging program ends with the run', async () => {
  const stopped = cases.map(({ name, where }) => {
    const stop = new AbortController()
    const isBusy = (): boolean => {
      stop.abort(new Error('enough'))
      return true
    }
    const work = workAs(name, 'silent-at-once', where, { signal: stop.signal, isBusy })
    return expect(work).rejects.toThrow('enough')
  })
  await Promise.all(stopped)
})

test("an honest program's texts and calls are reported", async () => {
  const { said, report } = await workAs('claude', 'done', 'plain')
  const call = 'Bash {"command":"echo hi > out.txt; ls","description":"x"}'
  expect(said).toEqual(['I look.', call, 'Done.'])
  expect(report).toMatchObject({ turns: 2, text: 'Done.' })
  const other = await workAs('codex', 'done', 'plain')
  expect(other.said).toEqual([
    expect.stringContaining('Model metadata'),
    'I look.',
    "command /bin/bash -lc 'echo hi > out.txt; ls'",
    'Done.',
  ])
  expect(other.report).toMatchObject({ turns: 2, text: 'Done.' })
})

test('so are those of an honest opencode and an honest gemini', async () => {
  const { said, report } = await workAs('opencode', 'done', 'plain')
  const call = 'write {"filePath":"done.txt","content":"hello"}'
  expect(said).toEqual(['I write it.', call, 'Done.'])
  expect(report).toMatchObject({ turns: 2, text: 'Done.' })
  const other = await workAs('gemini', 'done', 'plain')
  const otherCall = 'write_file {"file_path":"done.txt","content":"hello"}'
  expect(other.said).toEqual(['I write it.', otherCall, 'Done.'])
  expect(other.report).toMatchObject({ turns: 2, text: 'Done.' })
})

test('a success of gemini is not believed if the gateway saw a response that was cut', async () => {
  for (const mode of ['cut-off', 'model-refused']) {
    const cut = await workAs('gemini', mode, 'plain', { lastAnswer: () => 'other' })
    expect(cut.report).toMatchObject({ ended: 'provider', status: 'failed' })
  }
})

test('the report says why a program failed', async () => {
  const textOf = async (name: ProgramName, mode: string): Promise<string> =>
    (await workAs(name, mode, 'plain')).report.text
  expect(await textOf('claude', '529')).toContain('529 Overloaded')
  expect(await textOf('claude', 'not-started')).toContain('Invalid API key')
  expect(await textOf('claude', 'max-turns')).toContain('maximum number of turns')
  expect(await textOf('codex', '401')).toContain('401 Unauthorized')
  expect(await textOf('opencode', '401')).toContain('invalid x-api-key')
  expect(await textOf('gemini', '401')).toContain('API key not valid')
  expect(await textOf('gemini', 'circles')).toContain('Loop detected')
  expect(await textOf('codex', 'declined')).toContain('It was not allowed: command /bin/bash')
})

test('output that is not JSON is reported, and no event on standard error is believed', async () => {
  const { said } = await workAs('claude', 'noisy', 'plain')
  expect(said).toContain('Welcome!')
  const { report } = await workAs('codex', 'nothing', 'plain', { args: ['--unknown'] })
  expect(report.ended).toBe('no-result')
})
