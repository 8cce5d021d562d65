/** Runs the probes inside whatever is to be tested, and reads what they found. */

import type { Command, Commands } from '../engine/index.ts'
import { createProbeFixture, type ProbeFixture } from './probe-fixture.ts'
import { probeNodeScript, probeScript, probes } from './probes.ts'
import type { ProbeResult } from './sandbox-type.ts'

/** Far more than they take; a sandbox that hangs is none. */
const timeoutMs = 20_000
/** What a shell sets by itself, and what every command in a sandbox is given. */
const ordinaryNames = 'HOME LANG TMPDIR PATH PWD OLDPWD SHLVL _ GIT_OPTIONAL_LOCKS FIXTURE'.split(
  ' ',
)
const noSuchProgram = 127

/** Rejects when nothing can be started there. */
export async function runProbes(
  commandsFor: (workspace: string) => Commands,
  givenNames: readonly string[],
): Promise<readonly ProbeResult[]> {
  const fixture = await createProbeFixture()
  try {
    const result = await commandsFor(fixture.workspace).run(
      { ...probeCommand(fixture, givenNames), timeoutMs },
      new AbortController().signal,
    )
    return readResults(result.stdout)
  } finally {
    await fixture.close()
  }
}

export function probeCommand(fixture: ProbeFixture, givenNames: readonly string[]): Command {
  return {
    program: 'sh',
    args: ['-c', probeScript(probes)],
    cwd: fixture.workspace,
    env: {
      FIXTURE: fixture.folder,
      PROBE_MARKER: fixture.marker,
      PROBE_PID: `${fixture.pid}`,
      PROBE_NAMES: [...ordinaryNames, ...givenNames, 'PROBE_[A-Z]+'].join('|'),
      PROBE_NODE: probeNodeScript(probes, fixture),
    },
  }
}

/** A probe without a line did not work. */
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

/** What could not be tried proves nothing, but only git may be missing from a machine. */
export const isWrongProbe = ({ name, expect, found }: ProbeResult): boolean =>
  found === 'not-tried' ? !/git|user namespace|mount/.test(name) : found !== expect
