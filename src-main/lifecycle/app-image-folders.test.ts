import { expect, it } from 'vitest'
import { removeAppImageFolders } from './app-image-folders.ts'

const MOUNTED = '/tmp/.mount_wesA1'
const APP_IMAGE = { APPIMAGE: '/home/ada/wes.AppImage', APPDIR: MOUNTED }

it('the folders of the AppImage are removed, and no others', () => {
  const env = {
    ...APP_IMAGE,
    PATH: `${MOUNTED}:${MOUNTED}/usr/sbin:/usr/bin:/bin`,
    LD_LIBRARY_PATH: `${MOUNTED}/usr/lib`,
    XDG_DATA_DIRS: `${MOUNTED}/usr/share/:/usr/share/gnome:/usr/share/`,
    GSETTINGS_SCHEMA_DIR: `${MOUNTED}/usr/share/glib-2.0/schemas`,
  }
  removeAppImageFolders(env, `${MOUNTED}/wes`)
  expect(env).toEqual({ ...APP_IMAGE, PATH: '/usr/bin:/bin', XDG_DATA_DIRS: '/usr/share/gnome:/usr/share/' })
})

it('an app that another AppImage has started changes nothing', () => {
  const env = { ...APP_IMAGE, PATH: `${MOUNTED}:/usr/bin`, LD_LIBRARY_PATH: `${MOUNTED}/usr/lib` }
  const before = { ...env }
  removeAppImageFolders(env, '/opt/wes/wes')
  expect(env).toEqual(before)
})
