/** Which runs are driven now. */

import type { Host } from '../../host/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { DaemonSettings, Log, Scheduler } from '../parts.ts'

export async function openScheduler(
  _host: Host,
  _settings: DaemonSettings,
  _log: Log,
): Promise<Scheduler> {
  const absent = (): never => {
    throw new LoopError('not-available', 'Runs are not queued yet: loopctl run --no-daemon.')
  }
  return {
    submit: async () => absent(),
    enqueue: async () => absent(),
    retry: async () => absent(),
    fork: async () => absent(),
    release: async () => undefined,
    queue: () => [],
    entry: () => undefined,
    drain: async () => undefined,
  }
}
