/**
 * Runs the command of experiment mode in the sandbox. It gets a private folder there, and what it writes to
 * `LOOP_METRICS_OUT` comes back on the output of the shell, so that nothing outside of the sandbox is mounted for it.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { metricsCharsMax } from '../../loops/context/measure.ts'
import type { LoopPorts } from '../../loops/loop-ports.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'

/** `$1`: the command. `$2`: a mark before the metrics. */
const script = `
dir=$(mktemp -d) || exit 1
export LOOP_RUN_DIR="$dir" LOOP_METRICS_OUT="$dir/metrics.json"
/bin/sh -c "$1" 1>&2
code=$?
printf '%s' "$2"
head -c ${metricsCharsMax + 1} "$LOOP_METRICS_OUT" 2>/dev/null
rm -rf "$dir"
exit $code
`

export const createMeasure =
  (
    sandbox: Pick<OpenedSandbox, 'commandsFor'>,
    workspace: string | undefined,
  ): LoopPorts['measure'] =>
  async ({ command, timeoutMs, iteration, spec }, signal) => {
    const mark = `loopwright-metrics-${randomUUID()}`
    const args = ['-c', script, 'measure', command, mark]
    const { exitCode, durationMs, stdout, stderr } = await sandbox
      .commandsFor(['/bin/sh', '-c', command])
      .run(
        {
          program: '/bin/sh',
          args,
          timeoutMs,
          outputBytesMax: 4 * metricsCharsMax,
          ...(workspace === undefined ? {} : { cwd: workspace }),
          env: {
            TERM: 'dumb',
            LOOP_ITERATION: String(iteration),
            ...(spec === undefined ? {} : { LOOP_SPEC_PATH: join(workspace ?? '', spec) }),
          },
        },
        signal,
      )
    const at = stdout.lastIndexOf(mark)
    const metrics = at === -1 ? undefined : stdout.slice(at + mark.length)
    return { exitCode, durationMs, output: stderr, metrics }
  }
