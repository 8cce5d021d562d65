/** The systemd user unit of the daemon, as text; for `loopctl daemon install --print`. */

export interface UnitOptions {
  /** Absolute paths of Node and of loopd. */
  readonly node: string
  readonly program: string
  /** The state folder, if it is not the default. */
  readonly state?: string
  readonly args?: readonly string[]
  /** The PATH of the user, which systemd does not know. */
  readonly path?: string | undefined
}

/** For `~/.config/systemd/user/loopd.service`. Contains no keys. */
export function systemdUnit({ node, program, state, args = [], path }: UnitOptions): string {
  const words = [node, program, ...(state === undefined ? [] : ['--state', state]), ...args]
  const found = path === undefined ? '' : `Environment=${quoted(`PATH=${path}`)}\n`
  return `# Put it into ~/.config/systemd/user/loopd.service, then: systemctl --user enable --now loopd
# To keep it running after you log out: loginctl enable-linger
[Unit]
Description=Loopwright: runs agents in loops
After=network.target
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${words.map(quoted).join(' ')}
# Running runs finish their current step and resume at the next start.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=90
Restart=on-failure
RestartSec=2
# 75: another daemon uses the state folder. 64, 78: wrong arguments or settings. 77: an unsafe token file.
# Restarting does not help.
RestartPreventExitStatus=64 75 77 78
# More variables for agents. Model keys are read from %h/.config/loopwright/keys.
${found}EnvironmentFile=-%h/.config/loopwright/environment
LimitNOFILE=65536
# Agents run in a sandbox that needs user namespaces, so this unit is hardened only lightly.
LockPersonality=yes

[Install]
WantedBy=default.target
`
}

/** Quoted for systemd, with its specifiers and variables escaped. */
function quoted(word: string): string {
  if (/[\n\r\0]/.test(word))
    throw new TypeError('An argument of a unit cannot contain line breaks.')
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')
  return /^[\w@:,./=+-]+$/.test(word) ? word : `"${escaped}"`
}
