/** The dependencies of a run, once they are there. */

import type { RunDependencies } from './run-dependencies.ts'

export interface HeldDependencies {
  get(): RunDependencies | undefined
  set(found: RunDependencies): void
}

/** Dependencies are installed when the run starts; its commands see them from then on. */
export function holdDependencies(): HeldDependencies {
  let held: RunDependencies | undefined
  return {
    get: () => held,
    set(found) {
      held = found
    },
  }
}
