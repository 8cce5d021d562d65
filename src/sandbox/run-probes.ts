/** Runs the probes inside a sandbox, and reads their results. */

import type { Command, Commands } from '../engine/index.ts'
import { createProbeFixture, type ProbeFixture } from './probe-fixture.ts'
import { probeNodeScript, probeScript, probes } from './probes.ts'
import type { ProbeResult } from './sandbox-type.ts'

/** Far more than they need; a sandbox that hangs fails the test. */
const timeoutMs = 20_000
/** Variables that a shell sets by itself, and those that every command in a sandbox gets. */
const ordinaryNames = 'HOME LANG TMPDIR PATH PWD OLDPWD SHLVL _ GIT_OPTIONAL_LOCKS FIXTURE'.split(
  ' ',
)
const noSuchProgram = 127

/** Rejects if no command can be started. */
export async function runProbes(
  createCommands: (workspace: string) => Commands,
  variables: readonly string[],
): Promise<readonly ProbeResult[]> {
  const fixture = await createProbeFixture()
  try {
    const result = await createCommands(fixture.workspace).run(
      { ...probeCommand(fixture, variables), timeoutMs },
      new AbortController().signal,
    )
    return readResults(result.stdout)
  } finally {
    await fixture.close()
  }
}

export function probeCommand(fixture: ProbeFixture, variables: readonly string[]): Command {
  return {
    program: 'sh',
    args: ['-c', probeScript(probes)],
    cwd: fixture.workspace,
    env: {
      FIXTURE: fixture.folder,
      PROBE_MARKER: fixture.marker,
      PROBE_PID: `${fixture.pid}`,
      PROBE_NAMES: [...ordinaryNames, ...variables, 'PROBE_[A-Z]+'].join('|'),
      PROBE_NODE: probeNodeScript(probes, fixture),
    },
  }
}

/** A probe that printed no line was blocked. */
export function readResults(output: string): readonly ProbeResult[] {
  const codes = new Map(
    output.split('\n').map((line): [number, number] => {
      const [index, code] = line.split(' ')
      return [Number(index === '' ? Number.NaN : index), Number(code)]
    }),
  )
  return probes.map(({ name, expect }, index) => {
    const code = codes.get(index)
    const found = code === 0 ? 'works' : code === noSuchProgram ? 'not-tried' : 'blocked'
    return { name, expect, found }
  })
}

/** A probe that could not be tried proves nothing; only these programs may be missing from a machine. */
export const isWrongProbe = ({ name, expect, found }: ProbeResult): boolean =>
  found === 'not-tried' ? !/git|user namespace|mount/.test(name) : found !== expect
