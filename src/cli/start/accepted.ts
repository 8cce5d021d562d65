/** Sends a request to start a run, and follows the run. */

import type { RunAnswer } from '../../client/index.ts'
import { clientRuns } from '../connection/client-runs.ts'
import type { Inspected } from '../connection/runs.ts'
import { renderNotice } from '../display/wrap.ts'
import type { Session } from '../session.ts'
import { lookAtActionsOf } from './actions-at-end.ts'
import { allAtEnd, lookAtEndOf } from './end-of-run.ts'
import { followHere } from './follow-here.ts'
import { showReportOf } from './report-at-end.ts'
import type { From } from './show-run.ts'
import type { DetachOption } from './start-options.ts'
import { type Leaving, listenToLeave, waitText, watchRun } from './watch-run.ts'
import type { Starter } from './with-starter.ts'

type Begin = (inspected: Inspected, why: string | undefined) => From

/** Sends the request, then shows the run to its end; with `--detach`, reports that it was accepted. */
export async function accepted(
  session: Session,
  starter: Starter,
  ask: () => Promise<RunAnswer>,
  options: DetachOption,
  begin: Begin,
): Promise<void> {
  const { client, here } = starter
  if (here !== undefined) {
    const answer = await ask()
    const from = await beginning(session, starter, answer, begin)
    return followHere(client, here, answer.run, from)
  }
  const leaving = listenToLeave()
  try {
    await follow(session, starter, await ask(), options, begin, leaving)
  } finally {
    leaving.close()
  }
}

async function beginning(
  session: Session,
  { client }: Starter,
  { run, why }: RunAnswer,
  begin: Begin,
): Promise<From> {
  const from = begin(await client.inspect(run.id), why)
  const runs = clientRuns(client)
  const looks = [
    showReportOf(runs, run.id),
    lookAtEndOf(session, runs, run.id),
    lookAtActionsOf(session, runs, run.id),
  ]
  return { ...from, epilogue: allAtEnd([...looks, ...(from.epilogue ? [from.epilogue] : [])]) }
}

async function follow(
  session: Session,
  starter: Starter,
  answer: RunAnswer,
  { detach = false }: DetachOption,
  begin: Begin,
  leaving: Leaving,
): Promise<void> {
  const { run, queue } = answer
  if (detach) {
    const line = queue?.state === 'queued' ? waitText(queue) : 'running'
    session.print({ run: run.id, name: run.name, ...(queue && { queue }) }, () =>
      renderNotice(
        session.hint(`${run.name}: ${line}. Watch it: loopctl watch ${run.name}`),
        session.terminal,
      ).join('\n'),
    )
    return
  }
  const from = await beginning(session, starter, answer, begin)
  const waits = queue?.waitsFor === undefined ? {} : { waits: waitText(queue) }
  await watchRun(session, starter.client, run, { ...from, ...waits }, leaving)
}
