/** How the user started loopctl, for commands to type next: `npx loopctl` if through npm. */

export const ownName = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment['npm_command'] === undefined ? 'loopctl' : 'npx loopctl'
