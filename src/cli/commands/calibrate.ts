/** The command that measures checks: calibrate. */

import type { Command } from 'commander'
import { plural } from '../../loop/excerpt/plural.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { renderCalibration } from '../display/calibration-view.ts'
import { visible } from '../display/render.ts'
import { interruptible } from '../interruptible.ts'
import {
  type AttendedOption,
  addAttendedOption,
  addTrustOption,
  dollars,
  duration,
} from '../run-options.ts'
import { openSession, type Session, wholeNumber, withHost } from '../session.ts'
import { loadTrusted } from '../trust.ts'

interface CalibrateOptions extends AttendedOption {
  readonly defects: number
  readonly seed?: number
  readonly time?: number
  readonly cost?: number
  readonly base?: string
  readonly trust?: boolean
}

const defectsMax = 1000

export function addCalibrate(program: Command): void {
  const calibrate = program
    .command('calibrate <file>')
    .description('measure how many planted defects the checks of a loop miss')
    .option('--defects <n>', 'number of defects to plant', wholeNumber, 20)
    .option('--seed <n>', 'seed for choosing the defects (default: random)', wholeNumber)
    .option('--time <duration>', 'maximum time, such as 2m (default: 10m)', duration)
    .option('--cost <dollars>', 'maximum cost of judges (default: 1)', dollars)
    .option('--base <ref>', 'commit to measure on (default: HEAD)')
    .addHelpText(
      'after',
      '\nDoes not touch the checkout: works in a clean copy of the commit, which is deleted afterwards.\n' +
        'The result is stored, and shown beside the results of these checks from then on.',
    )
  addTrustOption(addAttendedOption(calibrate)).action((file: string, options: CalibrateOptions) =>
    runCalibrate(program, file, options),
  )
}

async function runCalibrate(
  program: Command,
  file: string,
  options: CalibrateOptions,
): Promise<void> {
  const { defects } = options
  if (defects < 1 || defects > defectsMax) {
    throw new LoopError('bad-request', `--defects must be from 1 to ${defectsMax}.`)
  }
  const session = openSession(program)
  await interruptible('nothing was stored.', (stop) =>
    withHost(program, async (host) => {
      const loaded = await loadTrusted(session, host.folder, file, options)
      const { calibrateLoop } = await import('../../launch/calibrate/index.ts')
      const report = await calibrateLoop(host, loaded, {
        defects,
        seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
        attended: session.terminal.asks || options.attended === true,
        signal: stop.signal,
        onRound: (done, of) => showRound(session, done, of),
        onProblem: (problem) => void process.stderr.write(`warning: ${visible(problem)}\n`),
        ...defined({ timeMs: options.time, costMicros: options.cost, base: options.base }),
      })
      showRound(session, 1, 1)
      session.print(report, () => renderCalibration(report))
    }),
  )
}

/** One line that is overwritten; without a terminal, one line at the start. */
function showRound({ json, terminal }: Session, done: number, of: number): void {
  if (json) return
  if (!terminal.live) {
    if (done === 0) process.stderr.write(`measuring, at most ${plural(of, 'round')}\n`)
    return
  }
  process.stdout.write(`\r\u001b[K${done === of ? '' : `${done} of ${of}`}`)
}
