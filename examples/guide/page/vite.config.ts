// #region proxy
import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    proxy: {
      '/v1': {
        target: 'http://localhost:3477',
        changeOrigin: true, // the runtime refuses requests for another host than its own
        configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
      },
    },
  },
})
// #endregion proxy
