; Removes what the app itself registers for the user. electron-builder removes only what its installer has registered.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    ; Links may belong to another copy of the app.
    ReadRegStr $R0 HKCU "Software\Classes\wes\shell\open\command" ""
    ${if} $R0 == '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
      DeleteRegKey HKCU "Software\Classes\wes"
    ${endIf}
    ; Clicks on notifications.
    DeleteRegKey HKCU "Software\Classes\CLSID\{335F4814-0222-4AA8-9489-C36F290933C7}"
    ; Start at login.
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
  ${endIf}
!macroend
