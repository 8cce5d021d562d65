/** What `loopctl help <topic>` tells of what is no command. */

import { describeVariables } from '../definition/config/describe-variables.ts'
import { renderExitCodes } from './exit-codes.ts'

const config = `Configuration, the strongest first:
  1. flags of the command
  2. the environment (loopctl help environment)
  3. a file named with --config or LOOP_CONFIG
  4. the project's: loopwright.yaml, then .loop/config of document 002; each the
     nearest one upward from the folder you are in, up to your home folder
  5. your own: $XDG_CONFIG_HOME/loopwright/loopwright.yaml (~/.config/…)
  6. what is built in

A project's file may say less than yours, never more: lower limits, where run
folders go in the workspace, what worktrees start from. What reaches outside or
starts a program (models, addresses, paths, commands) is used once you trusted
the file as it is: loopctl trust loopwright.yaml. What was not used is said.
Settings of the daemon are read from your own file only. Limits are the most
that a loop file may ask for; flags may say more.

  loopctl config show --origin    every setting, its value, and who says so
  loopctl config check            whether the files are right
  loopctl config path             which files are read
  loopctl config schema           their schema, for editors`

const daemon = `The daemon (loopd) drives runs in the background, so that they go on when the
terminal is closed. loopctl starts one when a run needs it.

  loopctl daemon status           whether it runs, where, and what it does
  loopctl daemon start|stop       start it; let running runs finish their step, then stop
  loopctl daemon logs             what it said
  loopctl queue                   which runs are running, which wait, and for what
  loopctl --no-daemon run x.yaml  without it: in this process

How many runs run at a time, its port and its queue are settings of your
own loopwright.yaml (loopctl help config), or flags of loopd. It listens on this
machine only and wants a token, which loopctl finds in the state folder.`

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
