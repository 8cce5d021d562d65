/** Help topics that are not commands. */

import { describeVariables } from '../definition/config/describe-variables.ts'
import { renderExitCodes } from './exit-codes.ts'

const config = `Configuration, highest precedence first:
  1. flags of the command
  2. the environment (loopctl help environment)
  3. a file named with --config or LOOP_CONFIG
  4. the project config: loopwright.yaml, then .loop/config (legacy); for each,
     the nearest file from this folder upward to your home folder
  5. your own config: $XDG_CONFIG_HOME/loopwright/loopwright.yaml (~/.config/…)
  6. built-in defaults

Without your trust, a project config can only restrict: lower limits, choose run
folders inside the workspace, choose what worktrees start from. Its settings that
reach outside or start a program (models, addresses, paths, commands) apply once
you trust the file: loopctl trust loopwright.yaml. Ignored settings are printed.
Daemon settings are read only from your own config. Limits cap what a loop file
can set; flags can exceed them.

  loopctl config show --origin    show every setting, its value and its origin
  loopctl config check            check the config files
  loopctl config path             list the config files
  loopctl config schema           print their JSON Schema, for editors`

const daemon = `The daemon (loopd) drives runs in the background, so that they continue when
you close the terminal. loopctl starts it when a run needs it.

  loopctl daemon status           show whether it is running, and its queue
  loopctl daemon start|stop       start it; stop it after the current steps finish
  loopctl daemon logs             print its log
  loopctl queue                   list running and queued runs
  loopctl --no-daemon run x.yaml  run in this process, without the daemon

Its port, its queue and the number of runs at a time are settings of your own
loopwright.yaml (loopctl help config), or flags of loopd. It listens only on this
machine and requires a token, which loopctl reads from the state folder.`

export function helpTopic(name: string): string | undefined {
  switch (name) {
    case 'exit-codes':
      return renderExitCodes()
    case 'config':
      return config
    case 'environment':
      return describeVariables()
    case 'daemon':
      return daemon
    default:
      return undefined
  }
}
