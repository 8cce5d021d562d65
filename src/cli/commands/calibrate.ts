/** The command that measures checks: calibrate. */

import type { Command } from 'commander'
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
import { openSession, type Session, wholeNumber, withNewStateFolder } from '../session.ts'
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
    .description(
      'measure how often the checks of a loop err: plants defects in a copy, and says what is missed',
    )
    .option('--defects <n>', 'so many defects', wholeNumber, 20)
    .option('--seed <n>', 'the same seed plants the same (default: one is drawn)', wholeNumber)
    .option('--time <duration>', 'at most so much time, like 2m (default: 10m)', duration)
    .option('--cost <dollars>', 'at most so much money for judges (default: 1)', dollars)
    .option('--base <ref>', 'what to measure on (default: what is checked out)')
    .addHelpText(
      'after',
      '\nNothing of the checkout is touched: everything happens in a clean copy of the commit, which goes\n' +
        'afterwards. What is found is kept, and shown beside what these checks say from then on.',
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
  await interruptible('nothing was kept.', (stop) =>
    withNewStateFolder(program, async (host) => {
      const loaded = await loadTrusted(session, host.folder, file, options)
      try {
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
      } finally {
        await loaded.close()
      }
    }),
  )
}

/** One line that is written over; where that cannot be, one at the beginning. */
function showRound({ json, terminal }: Session, done: number, of: number): void {
  if (json) return
  if (!terminal.live) {
    if (done === 0) process.stderr.write(`measuring, ${of} rounds at most\n`)
    return
  }
  process.stdout.write(`\r\u001b[K${done === of ? '' : `${done} of ${of}`}`)
}
