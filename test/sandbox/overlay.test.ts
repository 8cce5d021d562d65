// Dependencies that a command can write to, and that stay unchanged on disk, whatever it tries.

import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, lchown, link, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../src/engine/index.ts'
import type { SandboxSpec } from '../../src/sandbox/index.ts'
import { drive, type Identity, identities, newFolder, newTag, taggedProcesses } from './fixture.ts'

interface Scene {
  readonly place: SandboxSpec
  readonly layer: string
  readonly base: string
}

/** A layer with special characters in its path, and with a file that has a hard link outside. */
async function newScene(identity: Identity, limits: SandboxSpec['limits'] = {}): Promise<Scene> {
  const own = await newFolder(identity)
  const layer = join(own, 'a layer, of:two\\parts')
  const [workspace, base] = [join(own, 'ws'), join(own, 'base')]
  const from = join(layer, 'node_modules')
  const to = join(workspace, 'node_modules')
  for (const folder of [to, base, join(from, 'dep/sub'), join(own, 'objects')]) {
    await mkdir(folder, { recursive: true })
  }
  await writeFile(join(from, 'dep/index.js'), 'original\n')
  await writeFile(join(from, 'dep/sub/other.js'), 'original\n')
  await chmod(join(from, 'dep/sub/other.js'), 0o444)
  await link(join(from, 'dep/index.js'), join(own, 'objects/shared'))
  await symlink('index.js', join(from, 'dep/link.js'))
  await chownLike(own)
  const overlay = { folder: base, lower: [layer] }
  const place = { workspace, readOnly: [layer], overlay, mounts: [{ from, to }], limits }
  return { place, layer, base }
}

async function chownLike(own: string): Promise<void> {
  const { uid, gid } = lstatSync(own)
  for (const name of readdirSync(own, { recursive: true, encoding: 'utf8' })) {
    await lchown(join(own, name), uid, gid)
  }
}

/** The metadata and the content of all files. */
function digestFolder(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name)
    const { mode, ino, nlink, uid, gid, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    hash.update(`${name} ${mode} ${ino} ${nlink} ${uid} ${gid} ${size} ${mtimeNs} ${ctimeNs}\n`)
    if (lstatSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

const shell = (script: string): Command => ({
  program: 'bash',
  args: ['-c', script],
  timeoutMs: 30_000,
})

const ordinary = `cd node_modules
  mkdir .cache && echo 1 > .cache/vite && echo 1 > dep/made.js && mkdir dep/__pycache__
  echo changed > dep/index.js && rm dep/sub/other.js && rmdir dep/sub && mkdir dep/sub
  mv dep moved && cat moved/link.js && ls moved/sub | wc -l`

/** Each attack prints a line if it succeeds. */
const attacks = (layer: string, base: string): string => `
  LAYER='${layer}'; BASE='${base}'
  for dep in node_modules/dep "$LAYER/node_modules/dep"; do
    echo evil > "$dep/index.js"; echo evil >> "$dep/sub/other.js"
    chmod 777 "$dep/sub/other.js" "$dep" && echo evil > "$dep/sub/other.js"
    printf evil | dd of="$dep/index.js" conv=notrunc
    exec 8< "$dep/sub/other.js" && echo evil > /proc/self/fd/8; exec 8<&-
    ln "$dep/index.js" "$dep/linked" && echo evil > "$dep/linked"
    ln "$dep/index.js" linked-out && echo "linked out of the layer"
    touch -d 2001-01-01 "$dep/index.js"; chattr +i "$dep/index.js"
    rm -rf "$dep/sub"; mv "$dep/index.js" "$dep/renamed" && ln -s /etc/passwd "$dep/index.js"
  done
  mv node_modules elsewhere && echo "moved the mount"
  mv "$LAYER" /tmp/ && echo "moved the layer"
  for target in node_modules "$LAYER" "$BASE" /; do
    umount "$target" && echo "unmounted $target"; umount -l "$target" && echo "unmounted $target"
    mount -o remount,rw "$target" && echo "remounted $target"
  done
  mkdir -p /tmp/m /tmp/u /tmp/w
  mount --bind "$LAYER" /tmp/m && echo "bound it"
  mount -t overlay -o "lowerdir=node_modules,upperdir=/tmp/u,workdir=/tmp/w" overlay /tmp/m && echo "made one"
  unshare -Urm true && echo "made a namespace"
  for pid in 1 $PPID $$; do
    nsenter -t $pid -m true && echo "entered the namespace of $pid"
    [ -e "/proc/$pid/root$BASE" ] && echo "saw the memory by $pid"
  done
  [ -e "$BASE" ] && echo "saw the memory"
  ls -d "$LAYER"/../objects && echo "saw the objects"
  python3 - "$LAYER" <<'PYTHON'
import ctypes, mmap, os, sys
dep = sys.argv[1] + '/node_modules/dep'
for name in ('opaque', 'redirect', 'metacopy', 'origin', 'upper', 'impure'):
    for value in (b'y', b'/', b'/../../objects'):
        try: os.setxattr(dep, 'user.overlay.' + name, value)
        except OSError: pass
        try: os.setxattr(dep, 'trusted.overlay.' + name, value); print('set trusted', name)
        except OSError: pass
with open(dep + '/renamed', 'r+b') as file:
    memory = mmap.mmap(file.fileno(), 0); memory[0:4] = b'evil'; memory.flush()
libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(136); mount_id = ctypes.c_int()
ctypes.memmove(handle, (128).to_bytes(4, 'little'), 4)
libc.name_to_handle_at(-100, dep.encode(), handle, ctypes.byref(mount_id), 0)
if libc.open_by_handle_at(-100, handle, os.O_RDWR) >= 0: print('opened by handle')
PYTHON
  echo end`

describe.each(identities)('for %s', (identity) => {
  test('a command writes to its dependencies, and the next one finds them unchanged', async () => {
    const { place, layer, base } = await newScene(identity)
    const before = digestFolder(layer)
    const commands = [
      shell(ordinary),
      shell(ordinary),
      shell('id -u; cat node_modules/dep/link.js'),
    ]
    const { report, results } = await drive(identity, { place, commands })
    expect(report.tier).toBe('strong')
    const uid = lstatSync(layer).uid
    expect(results.map(({ stdout }) => stdout)).toEqual([
      'changed\n0\n',
      'changed\n0\n',
      `${uid}\noriginal\n`,
    ])
    expect(digestFolder(layer)).toBe(before)
    expect(await readdir(base)).toEqual([])
  })

  test('a hostile command changes nothing on disk and reaches nothing below the overlay', async () => {
    const { place, layer, base } = await newScene(identity)
    const before = digestFolder(join(layer, '..', 'objects')) + digestFolder(layer)
    const attack = shell(attacks(layer, base))
    const { results } = await drive(identity, { place, commands: [attack] })
    expect(results[0]?.stdout).toBe('end\n')
    expect(digestFolder(join(layer, '..', 'objects')) + digestFolder(layer)).toBe(before)
  })

  test('without an overlay dependencies are read-only, except for scratch folders', async () => {
    const { place, layer } = await newScene(identity)
    const { overlay: _none, ...readOnly } = place
    const scratch = [join(place.workspace, 'node_modules/dep/sub')]
    const before = digestFolder(layer)
    const script = `echo x > node_modules/dep/index.js; echo x > node_modules/new; echo x > '${layer}/new'
      cd node_modules/dep/sub; ls; echo x > cache && cat cache`
    const commands = [shell(script), shell(script)]
    const { results } = await drive(identity, { place: { ...readOnly, scratch }, commands })
    expect(results.map(({ stdout }) => stdout)).toEqual(['x\n', 'x\n'])
    expect(results[0]?.stderr.match(/Read-only file system/g)).toHaveLength(3)
    expect(digestFolder(layer)).toBe(before)
  })

  test('writes are limited, and neither memory nor processes are left behind', async () => {
    const tmpBytes = 8 * 1024 ** 2
    const TAG = newTag()
    const scene = await newScene(identity, { tmpBytes, processes: 64 })
    const place = { ...scene.place, env: { TAG } }
    const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 60'
    const fill = 'dd if=/dev/zero of=node_modules/full bs=1M count=64; stat -c %s node_modules/full'
    const commands = [shell(fill), { ...shell(bomb), timeoutMs: 1500 }]
    const { results } = await drive(identity, { place, commands })
    expect(Number(results[0]?.stdout)).toBeLessThanOrEqual(tmpBytes)
    expect(results[0]?.stderr).toContain('No space left')
    expect(taggedProcesses(TAG)).toEqual([])
    expect(await readdir(scene.base)).toEqual([])
  })
})
